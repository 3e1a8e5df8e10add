#include "lsp/settings/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/lsp/server_fixture.h"
#include "workspace/next_edit/edit_format.h"
#include "workspace/next_edit/next_edit.h"

namespace redraft::lsp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json nested(const std::string& name, Json value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {{name, std::move(value)}};
  return {{name.substr(0, dot), nested(name.substr(dot + 1), std::move(value))}};
}

TEST(Settings, TheDefaultsOfTheTableAreThoseOfTheStruct) {
  std::set<std::string> names;
  for (const SettingDefinition& definition : setting_definitions()) {
    SCOPED_TRACE(definition.name);
    EXPECT_TRUE(names.insert(definition.name).second);
    EXPECT_THAT(definition.description, testing::EndsWith("."));
    const ReadSettings read =
        read_settings(nested(definition.name, definition.schema.at("default")), {});
    EXPECT_EQ(read.settings, Settings());
    EXPECT_THAT(read.problems, IsEmpty());
  }
}

TEST(Settings, HowLikelyANextEditIsHasOneDefault) {
  EXPECT_EQ(Settings().next_edit.min_probability, NextEditRequest().min_probability);
}

TEST(Settings, EachSizeOfPromptsCanBeChosen) {
  for (const PromptSize size : kPromptSizes) {
    const auto [settings, problems] = read_settings({{"promptSize", to_string(size)}}, {});
    EXPECT_THAT(problems, IsEmpty());
    EXPECT_EQ(parse_prompt_size(settings.prompt_size), size);
  }
  EXPECT_EQ(parse_prompt_size(Settings().prompt_size), std::nullopt) << "that of the machine";
}

TEST(Settings, AllAreRead) {
  const Json section = Json::parse(R"({
    "index": false, "dependencies": true,
    "completion": {"enabled": false, "delay": 5000, "menu": "never", "inComments": false,
                   "languages": {"markdown": false, "*": true}, "maxTokens": 1024,
                   "alternatives": 5, "contextTokens": 8192, "minProbability": 0.25},
    "nextEdit": {"enabled": false, "format": "zeta-2", "minProbability": 0.5},
    "edit": {"maxTokens": 65536}, "cacheOnDisk": false, "loadEarly": false,
    "promptSize": "huge",
    "unloadAfter": 10080})");
  const auto [settings, problems] = read_settings(section, {});
  EXPECT_THAT(problems, IsEmpty());
  Settings expected;
  expected.index = false;
  expected.dependencies = true;
  expected.completion = {.enabled = false,
                         .delay = 5000,
                         .menu = CompletionMenu::kNever,
                         .in_comments = false,
                         .languages = {{"markdown", false}, {"*", true}},
                         .max_tokens = 1024,
                         .alternatives = 5,
                         .context_tokens = 8192,
                         .min_probability = 0.25};
  expected.next_edit = {.enabled = false, .format = "zeta-2", .min_probability = 0.5};
  expected.edit.max_tokens = 65536;
  expected.cache_on_disk = false;
  expected.load_early = false;
  expected.prompt_size = "huge";
  expected.unload_after = 10080;
  EXPECT_EQ(settings, expected);
  EXPECT_EQ(read_settings({}, expected).settings, expected);
  EXPECT_EQ(read_settings(nullptr, expected).settings, expected);
  EXPECT_EQ(read_settings(Json::parse(R"({"completion": {"menu": "always"}})"), expected)
                .settings.completion.menu,
            CompletionMenu::kAlways);
}

TEST(Settings, NamesMayBeDottedAndValuesNull) {
  const auto [settings, problems] = read_settings(
      Json::parse(R"({"completion.delay": 3, "completion": null, "edit": {"maxTokens": null},
                      "index": null, "edit.maxTokens": 7})"),
      {});
  EXPECT_THAT(problems, IsEmpty());
  Settings expected;
  expected.completion.delay = 3;
  expected.edit.max_tokens = 7;
  EXPECT_EQ(settings, expected);
}

TEST(Settings, AnEmptyTableOfLuaMayBeAListOrAnObject) {
  for (const char* empty : {"[]", "{}"}) {
    const Json nothing = Json::parse(empty);
    for (const char* name : {"completion", "completion.languages"})
      EXPECT_THAT(read_settings(nested(name, nothing), {}).problems, IsEmpty()) << name;
    EXPECT_THAT(read_settings(nothing, {}).problems, IsEmpty());
  }
}

// A value of another kind, and one just beyond the range, for every setting.
TEST(Settings, AWrongValueLeavesTheSettingAtItsDefaultAndTheOthersAlone) {
  const std::vector<Json> values = {true,
                                    -1,
                                    0,
                                    65537,
                                    1e300,
                                    1.5,
                                    "abc",
                                    Json::array({1}),
                                    INT64_MIN,
                                    UINT64_MAX,
                                    "",
                                    {{"a", 1}},
                                    std::string(1 << 16, 'x')};
  for (const SettingDefinition& definition : setting_definitions()) {
    if (definition.is_start_option()) continue;
    const bool is_edit = definition.name == "edit.maxTokens";
    int refused = 0;
    for (const Json& value : values) {
      SCOPED_TRACE(definition.name + " " + value.dump().substr(0, 50));
      Json section = nested(definition.name, value);
      section.merge_patch(nested(is_edit ? "completion.delay" : "edit.maxTokens", 1));
      const auto [settings, problems] = read_settings(section, {});
      EXPECT_EQ(is_edit ? settings.completion.delay : settings.edit.max_tokens, 1);
      if (problems.empty()) continue;
      ++refused;
      ASSERT_EQ(problems.size(), 1U);
      EXPECT_THAT(problems[0], HasSubstr("redraft." + definition.name + " takes "));
      EXPECT_THAT(problems[0], HasSubstr(definition.takes));
      EXPECT_LT(problems[0].size(), 250U);
    }
    EXPECT_GE(refused, 10);
  }
  Settings delayed;
  delayed.completion.delay = 9;
  EXPECT_EQ(read_settings(Json::parse(R"({"completion": {"delay": 5001}})"), delayed).settings,
            delayed);
}

TEST(Settings, WhatOfAnObjectFitsCounts) {
  const auto [settings, problems] =
      read_settings(Json::parse(R"({"completion": {"languages": {"c": false, "d": "no"}}})"), {});
  EXPECT_EQ(settings.completion.languages, (std::map<std::string, bool>{{"c", false}}));
  EXPECT_EQ(problems.size(), 1U);
}

TEST(Settings, UnknownNamesAreNamed) {
  const auto [settings, problems] = read_settings(
      Json::parse(R"({"indx": 1, "completion": {"delai": 1}, "edit": 5, "prompt": true})"), {},
      {"prompt"});
  EXPECT_EQ(settings, Settings());
  EXPECT_THAT(problems, ElementsAre(HasSubstr("redraft.completion.delai is not a setting"),
                                    HasSubstr("redraft.edit takes an object"),
                                    HasSubstr("redraft.indx is not a setting")));
  EXPECT_EQ(read_settings("all", {}).problems.size(), 1U);
}

TEST(Settings, CompletionIsOnInLanguagesThatAreNotNamed) {
  Settings::Completion completion;
  EXPECT_TRUE(completion.enabled_for("c"));
  completion.languages = {{"c", false}};
  EXPECT_FALSE(completion.enabled_for("c"));
  EXPECT_TRUE(completion.enabled_for("d"));
  completion.languages = {{"c", true}, {"*", false}};
  EXPECT_TRUE(completion.enabled_for("c"));
  EXPECT_FALSE(completion.enabled_for("d"));
  completion.enabled = false;
  EXPECT_FALSE(completion.enabled_for("c"));
}

class ConfigurationTest : public ServerTest {
 protected:
  static Json asking(bool registers = false) {
    return {{"workspace",
             {{"configuration", true},
              {"didChangeConfiguration", {{"dynamicRegistration", registers}}}}}};
  }
  static Json options(Json section) {
    return {{"initializationOptions", {{"redraft", std::move(section)}}},
            {"workspaceFolders", {{{"uri", "file:///p"}, {"name", "p"}}}}};
  }
  // The only request with this method among the messages sent last.
  Json asked(const std::string& method) const {
    Json found;
    for (const Json& message : sent_) {
      if (message.value("method", "") != method || !message.contains("id")) continue;
      EXPECT_TRUE(found.is_null()) << "asked twice";
      found = message;
    }
    EXPECT_FALSE(found.is_null()) << method;
    return found;
  }
  void configure(Json settings) {
    notify("workspace/didChangeConfiguration", {{"settings", std::move(settings)}});
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> texts;
    for (const Json& params : params_of("window/showMessage")) texts.push_back(params["message"]);
    return texts;
  }
  // Initializing with wrong options produces messages in addition to the answer.
  void initialize_with(const Json& capabilities, Json section) {
    Json params = options(std::move(section));
    params["capabilities"] = capabilities;
    receive(
        Json{{"jsonrpc", "2.0"}, {"id", "i"}, {"method", "initialize"}, {"params", params}}.dump());
  }
};

TEST_F(ConfigurationTest, InitialValuesComeFromTheOptions) {
  initialize_with({}, {{"dependencies", true}, {"completion", {{"delay", 10}}}});
  EXPECT_TRUE(server_.settings().dependencies);
  EXPECT_EQ(server_.settings().completion.delay, 10);
  EXPECT_EQ(indexed_.size(), 1U);
  ASSERT_EQ(common_.size(), 1U);
  EXPECT_TRUE(common_[0].dependencies);
  EXPECT_TRUE(notify("initialized").empty()) << "this client can neither be asked nor registered";
}

TEST_F(ConfigurationTest, WhatStandsNextToTheSettingsIsNoUnknownOne) {
  initialize_with({}, {{"token", "0123"}, {"streamedEdits", true}, {"prompt", true}});
  EXPECT_TRUE(warnings().empty());
  configure({{"redraft", {{"token", "0123"}}}});
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("redraft.token is not a setting")));
}

// In some editors a file of the workspace sets them (Emacs's .dir-locals.el).
TEST_F(ConfigurationTest, NoSettingNamesFoldersToRead) {
  const Json folders = {{"commonFolders", {"/usr/include"}}};
  initialize_with(asking(), folders);
  notify("initialized");
  answer(asked("workspace/configuration"), Json::array({folders}));
  configure({{"redraft", folders}});
  EXPECT_TRUE(common_.empty());
  EXPECT_TRUE(status().at("common").is_null());
}

TEST_F(ConfigurationTest, WhatAClientTellsIsInForceAtOnce) {
  initialize_with({}, {{"completion", {{"delay", 10}}}});
  configure({{"redraft", {{"index", false}, {"dependencies", true}}}, {"other", 1}});
  EXPECT_FALSE(server_.settings().index);
  EXPECT_EQ(server_.settings().completion.delay, 10) << "what it does not say stays";
  EXPECT_EQ(indexed_.size(), 1U);
  EXPECT_EQ(common_.size(), 1U);
  EXPECT_EQ(status().at("index"), nullptr);
  EXPECT_THAT(status().at("reasons").dump(), HasSubstr("The index is off (redraft.index)."));
  configure({{"redraft", {{"dependencies", true}}}});
  EXPECT_EQ(indexed_.size(), 2U) << "on again";
  EXPECT_EQ(common_.size(), 1U) << "nothing new there";
  configure(nullptr);
  EXPECT_FALSE(server_.settings().dependencies);
  EXPECT_EQ(indexed_.size(), 2U);
  for (const Json& strange : {Json(), Json(1), Json::array(), Json("x")}) configure(strange);
  notify("workspace/didChangeConfiguration", Json::array());
  EXPECT_EQ(server_.settings().completion.delay, 10);
}

TEST_F(ConfigurationTest, TheTimeAfterWhichTheModelIsUnloadedIsInForceAtOnce) {
  EXPECT_EQ(host_->unloads_after(), std::chrono::minutes(0));
  initialize_with({}, Json::object());
  EXPECT_EQ(host_->unloads_after(), std::chrono::minutes(15));
  configure({{"redraft", {{"unloadAfter", 2}}}});
  EXPECT_EQ(host_->unloads_after(), std::chrono::minutes(2));
  configure({{"redraft", {{"unloadAfter", 0}}}});
  EXPECT_EQ(host_->unloads_after(), std::chrono::minutes(0)) << "never";
}

TEST_F(ConfigurationTest, AClientThatCanBeAskedIsAsked) {
  initialize_with(asking(true), {{"edit", {{"maxTokens", 5}}}});
  EXPECT_TRUE(indexed_.empty()) << "it may want none";
  EXPECT_THAT(status().at("reasons").dump(), HasSubstr("waits for the editor's settings"));
  notify("initialized");
  const Json registered = asked("client/registerCapability").at("params").at("registrations");
  ASSERT_EQ(registered.size(), 1U);
  EXPECT_EQ(registered[0].at("method"), "workspace/didChangeConfiguration");
  EXPECT_EQ(registered[0].at("registerOptions").at("section"), "redraft");
  const Json first = asked("workspace/configuration");
  EXPECT_EQ(first.at("params"), Json::parse(R"({"items": [{"section": "redraft"}]})"));
  answer(first, Json::array({{{"dependencies", true}}}));
  EXPECT_EQ(indexed_.size(), 1U);
  EXPECT_TRUE(server_.settings().dependencies);
  EXPECT_EQ(server_.settings().edit.max_tokens, 5);

  configure({{"redraft", {{"index", false}}}});
  EXPECT_TRUE(server_.settings().index) << "what it tells unasked may be a part";
  const Json second = asked("workspace/configuration");
  configure(nullptr);
  const Json third = asked("workspace/configuration");
  answer(third, Json::array({{{"edit", {{"maxTokens", 8}}}}}));
  answer(second, Json::array({{{"edit", {{"maxTokens", 7}}}}}));
  EXPECT_EQ(server_.settings().edit.max_tokens, 8) << "the newest counts";
  EXPECT_FALSE(server_.settings().dependencies);
}

TEST_F(ConfigurationTest, AnAnswerThatSaysNothingMeansTheOptions) {
  initialize_with(asking(), {{"edit", {{"maxTokens", 5}}}});
  notify("initialized");
  EXPECT_TRUE(params_of("client/registerCapability").empty());
  Json pull = asked("workspace/configuration");
  for (const Json& result :
       {Json(), Json::array(), Json::array({nullptr}), Json(3), Json::array({Json::object()})}) {
    answer(pull, result);
    EXPECT_EQ(server_.settings().edit.max_tokens, 5);
    EXPECT_EQ(indexed_.size(), 1U);
    configure(nullptr);
    pull = asked("workspace/configuration");
  }
  receive(Json{{"id", pull.at("id")}, {"error", {{"code", -1}, {"message", "no"}}}}.dump());
  EXPECT_EQ(server_.settings().edit.max_tokens, 5);
}

TEST_F(ConfigurationTest, WhatAClientSaysOfItselfIsNoWrongSetting) {
  initialize_with(asking(), {{"streamedEdits", true}, {"prompt", true}, {"prepare", true}});
  EXPECT_THAT(warnings(), IsEmpty());
}

// As .dir-locals.el does through eglot.
TEST_F(ConfigurationTest, AWorkspaceDoesNotHaveAnythingKept) {
  initialize_with(asking(), {{"cacheOnDisk", false}});
  notify("initialized");
  const Json kept = {{"cacheOnDisk", true}};
  answer(asked("workspace/configuration"), Json::array({kept}));
  EXPECT_FALSE(server_.settings().cache_on_disk);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("redraft.cacheOnDisk stays false")));
}

TEST_F(ConfigurationTest, AWorkspaceMayHaveNothingKept) {
  initialize_with(asking(), Json::object());
  notify("initialized");
  const Json kept = {{"cacheOnDisk", false}};
  answer(asked("workspace/configuration"), Json::array({kept}));
  EXPECT_FALSE(server_.settings().cache_on_disk);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ConfigurationTest, AUsersOwnSettingsDecide) {
  initialize_with(asking(), {{"cacheOnDisk", false}, {"userSettings", true}});
  notify("initialized");
  const Json kept = {{"cacheOnDisk", true}};
  answer(asked("workspace/configuration"), Json::array({kept}));
  EXPECT_TRUE(server_.settings().cache_on_disk);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ConfigurationTest, AWrongValueIsToldOnce) {
  initialize_with(asking(), {{"index", "yes"}, {"streamedEdits", true}});
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("redraft.index takes true or false")));
  EXPECT_EQ(params_of("window/showMessage")[0].at("type"), 2);
  EXPECT_TRUE(server_.settings().index);
  notify("initialized");
  const auto tell = [&](Json section) {
    configure(nullptr);
    answer(asked("workspace/configuration"), Json::array({std::move(section)}));
    return warnings();
  };
  const Json slow = {{"completion", {{"delay", "slow"}}}, {"index", "yes"}};
  EXPECT_THAT(tell(slow), ElementsAre(HasSubstr("completion.delay takes an integer from 0 to")));
  EXPECT_THAT(tell(slow), IsEmpty());
  EXPECT_THAT(tell({{"index", "yes"}}), IsEmpty());
  EXPECT_EQ(tell(slow).size(), 1U) << "it had gone";
  Json nonsense = Json::object();
  for (int i = 0; i < 5000; ++i) nonsense["x" + std::to_string(i)] = i;
  const std::vector<std::string> told = tell(nonsense);
  ASSERT_EQ(told.size(), 5U);
  EXPECT_THAT(told.back(), HasSubstr("4995 problems more"));
}

TEST_F(ConfigurationTest, IndexesFollowTheFolders) {
  const Json result = initialize({}, options({{"dependencies", true}})).at("result");
  EXPECT_EQ(result.at("capabilities").at("workspace").at("workspaceFolders"),
            Json::parse(R"({"supported": true, "changeNotifications": true})"));
  const auto change = [&](Json added, Json removed) {
    return notify("workspace/didChangeWorkspaceFolders",
                  {{"event", {{"added", std::move(added)}, {"removed", std::move(removed)}}}});
  };
  const auto folder = [](const char* uri) { return Json{{"uri", uri}, {"name", "x"}}; };
  EXPECT_EQ(indexed_, (std::vector<Server::Folders>{{"/p"}}));
  change({folder("file:///q")}, Json::array());
  EXPECT_EQ(indexed_.back(), (Server::Folders{"/p", "/q"}));
  EXPECT_EQ(common_.back().workspace, (Server::Folders{"/p", "/q"}));
  change(Json::array(), {folder("file:///p/")});
  EXPECT_EQ(indexed_.back(), (Server::Folders{"/q"}));
  const std::size_t made = indexed_.size();
  change({folder("file:///q/")}, {folder("file:///never")});
  EXPECT_EQ(indexed_.size(), made) << "the same folders";
  change(Json::array(), {folder("file:///q")});
  EXPECT_EQ(indexed_.size(), made);
  EXPECT_THAT(status().at("reasons").dump(), HasSubstr("The index is off: no folder is open."));
  for (const char* strange : {"1", "{}", "[]", R"({"event": 1})", R"({"event": {"added": 7}})",
                              R"({"event": {"added": [7, {"uri": 7}], "removed": {}}})"})
    notify("workspace/didChangeWorkspaceFolders", Json::parse(strange));
  change({folder("file:///")}, Json::array());
  EXPECT_EQ(indexed_.size(), made);
  EXPECT_THAT(status().at("reasons").dump(), HasSubstr("the whole disk"));
}

TEST_F(ConfigurationTest, StatusTellsWhatIsOffAndWhenThatChanges) {
  const Json streaming = {{"experimental", {{"redraft", {{"streamedEdits", true}}}}}};
  initialize_with(streaming, nullptr);
  EXPECT_THAT(status().at("reasons"),
              ElementsAre("The model is not loaded yet. The first request loads it."));
  configure({{"redraft", {{"index", false}}}});
  ASSERT_EQ(params_of("$/redraft/status").size(), 1U);
  EXPECT_EQ(params_of("$/redraft/status")[0].at("reasons").size(), 2U);
  configure({{"redraft", {{"index", false}}}});
  EXPECT_TRUE(params_of("$/redraft/status").empty());
  configure({{"redraft", {{"index", true}}}});
  EXPECT_EQ(params_of("$/redraft/status").size(), 1U);
  EXPECT_TRUE(run_until([&] { return status().at("index").is_object(); }));
  EXPECT_THAT(status().at("reasons").dump(), HasSubstr("no index in this test"));
}

TEST_F(ConfigurationTest, ReasonsNameTheLanguagesWithoutCompletion) {
  initialize_with({}, {{"completion", {{"languages", {{"markdown", false}, {"c", true}}}}}});
  const std::string without = "Completion is off for markdown (redraft.completion.languages).";
  EXPECT_THAT(status().at("reasons").dump(), HasSubstr(without));
  EXPECT_THAT(status().at("reasons").dump(), testing::Not(HasSubstr("for c ")));
  configure({{"redraft", {{"completion", {{"enabled", false}}}}}});
  EXPECT_THAT(status().at("reasons").dump(),
              HasSubstr("Completion is off (redraft.completion.enabled)."));
  EXPECT_THAT(status().at("reasons").dump(), testing::Not(HasSubstr(without)));
}

TEST(SettingTable, NamesTheFormatsThatThereAre) {
  std::set<std::string> names = {std::string(kFormatByModel), std::string(kNoFormat)};
  for (const NextEditFormat& format : next_edit_formats()) names.insert(std::string(format.name));
  for (const SettingDefinition& definition : setting_definitions()) {
    if (definition.name != "nextEdit.format") continue;
    const auto choices = definition.schema.at("enum").get<std::set<std::string>>();
    EXPECT_EQ(choices, names);
    EXPECT_EQ(definition.schema.at("default"), kFormatByModel);
  }
}

TEST_F(ConfigurationTest, AnEditTakesItsLimitFromTheSettings) {
  initialize({{"workspace", {{"applyEdit", true}}}}, options(nullptr));
  EXPECT_EQ(status().at("reasons").size(), 1U);
  open("a\n");
  EXPECT_EQ(code(edit({{"textDocument", {{"uri", "file:///a.py"}}}, {"instruction", "x"}})), 0);
}

}  // namespace
}  // namespace redraft::lsp
