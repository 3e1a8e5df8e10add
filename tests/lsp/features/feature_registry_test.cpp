// What the features answer and what they announce, compared with LSP's own table of both.
#include "lsp/features/feature_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lsp/features/feature.h"
#include "tests/lsp/server_fixture.h"

namespace redraft::lsp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The server's capability that allows a client to send a method; empty: always allowed. LSP 3.17,
// the inline completion of 3.18, redraft's own methods, and those that clients send to other
// completion servers without a capability.
const std::map<std::string, std::string> kAnnouncedBy = {
    {"initialized", ""},
    {"shutdown", ""},
    {"$/setTrace", ""},
    {"window/workDoneProgress/cancel", ""},
    {"workspace/didChangeConfiguration", ""},
    {"workspace/didChangeWatchedFiles", ""},
    {"workspace/didChangeWorkspaceFolders", "/workspace/workspaceFolders/changeNotifications"},
    {"workspace/didCreateFiles", "/workspace/fileOperations/didCreate"},
    {"workspace/didRenameFiles", "/workspace/fileOperations/didRename"},
    {"workspace/didDeleteFiles", "/workspace/fileOperations/didDelete"},
    {"workspace/willCreateFiles", "/workspace/fileOperations/willCreate"},
    {"workspace/willRenameFiles", "/workspace/fileOperations/willRename"},
    {"workspace/willDeleteFiles", "/workspace/fileOperations/willDelete"},
    {"workspace/executeCommand", "/executeCommandProvider"},
    {"workspace/symbol", "/workspaceSymbolProvider"},
    {"textDocument/didOpen", "/textDocumentSync/openClose"},
    {"textDocument/didClose", "/textDocumentSync/openClose"},
    {"textDocument/didChange", "/textDocumentSync/change"},
    {"textDocument/didSave", "/textDocumentSync/save"},
    {"textDocument/willSave", "/textDocumentSync/willSave"},
    {"textDocument/willSaveWaitUntil", "/textDocumentSync/willSaveWaitUntil"},
    {"textDocument/codeAction", "/codeActionProvider"},
    {"codeAction/resolve", "/codeActionProvider/resolveProvider"},
    {"textDocument/completion", "/completionProvider"},
    {"completionItem/resolve", "/completionProvider/resolveProvider"},
    {"textDocument/inlineCompletion", "/inlineCompletionProvider"},
    {"textDocument/hover", "/hoverProvider"},
    {"textDocument/signatureHelp", "/signatureHelpProvider"},
    {"textDocument/definition", "/definitionProvider"},
    {"textDocument/references", "/referencesProvider"},
    {"textDocument/documentSymbol", "/documentSymbolProvider"},
    {"textDocument/codeLens", "/codeLensProvider"},
    {"textDocument/formatting", "/documentFormattingProvider"},
    {"textDocument/rangeFormatting", "/documentRangeFormattingProvider"},
    {"textDocument/rename", "/renameProvider"},
    {"textDocument/foldingRange", "/foldingRangeProvider"},
    {"textDocument/inlayHint", "/inlayHintProvider"},
    {"textDocument/diagnostic", "/diagnosticProvider"},
    {"redraft/resolveEdit", "/experimental/redraft/streamedEdits"},
    {"redraft/prepare", "/experimental/redraft/prepare"},
    {"redraft/stopPreparing", "/experimental/redraft/prepare"},
    {"redraft/region", "/experimental/redraft/region"},
    {"redraft/expectCompletion", "/experimental/redraft/expectCompletion"},
    {"redraft/status", "/experimental/redraft/protocol"},
    {"redraft/nextEdit", "/experimental/redraft/protocol"},
    {"textDocument/copilotInlineEdit", ""},
    {"textDocument/didShowCompletion", ""},
    {"textDocument/didPartiallyAcceptCompletion", ""},
    {"textDocument/didFocus", ""}};

bool announces(const Json& capabilities, const std::string& capability) {
  const Json::json_pointer place(capability);
  return capabilities.contains(place) && capabilities.at(place) != false;
}

// Methods that are not announced to the client.
std::vector<std::string> unannounced(const FeatureRegistry& registry) {
  std::vector<std::string> found;
  for (const std::string& method : registry.methods()) {
    const auto rule = kAnnouncedBy.find(method);
    if (rule == kAnnouncedBy.end()) {
      found.push_back(method + ": say in this test's table by what it is announced");
    } else if (!rule->second.empty() && !announces(registry.capabilities(), rule->second)) {
      found.push_back(method + " without " + rule->second);
    }
  }
  return found;
}

// Announced methods that no handler answers.
std::vector<std::string> unanswered(const FeatureRegistry& registry) {
  std::vector<std::string> found;
  for (const auto& [method, capability] : kAnnouncedBy) {
    if (!capability.empty() && announces(registry.capabilities(), capability) &&
        std::ranges::count(registry.methods(), method) == 0)
      found.push_back(capability + " without " + method);
  }
  for (const auto& [member, value] : registry.capabilities().items()) {
    const std::string place = "/" + member;
    const bool known =
        member == "positionEncoding" || std::ranges::any_of(kAnnouncedBy, [&](const auto& rule) {
          return rule.second == place || rule.second.starts_with(place + "/");
        });
    if (!known) found.push_back(place + ": say in this test's table what it announces");
  }
  return found;
}

// A client with every capability, including both forms of completion.
const Json kAble = {{"textDocument", {{"inlineCompletion", Json::object()}}},
                    {"workspace", {{"applyEdit", true}}},
                    {"experimental", {{"redraft", {{"streamedEdits", true}}}}}};
const Json kMenuAlways = {
    {"initializationOptions", {{"redraft", {{"completion", {{"menu", "always"}}}}}}}};
const Json kMenuNever = {
    {"initializationOptions", {{"redraft", {{"completion", {{"menu", "never"}}}}}}}};

using FeaturesTest = ServerTest;

TEST_F(FeaturesTest, EveryMethodIsAnnouncedToAClientThatTakesAll) {
  initialize(kAble, kMenuAlways);
  EXPECT_GE(server_.registry().methods().size(), 25U);
  EXPECT_THAT(unannounced(server_.registry()), IsEmpty());
  EXPECT_THAT(unanswered(server_.registry()), IsEmpty());
}

TEST_F(FeaturesTest, NothingIsAnnouncedThatIsNotAnswered) {
  initialize();
  EXPECT_THAT(unannounced(server_.registry()),
              ElementsAre("textDocument/inlineCompletion without /inlineCompletionProvider"));
  EXPECT_THAT(unanswered(server_.registry()), IsEmpty());
}

// The complete answer that clients rely on: it must not depend on which feature registers what.
class AnswerTest : public ServerTest {
 protected:
  Json capabilities(const Json& client, const Json& more = Json::object()) {
    return initialize(client, more).at("result").at("capabilities");
  }
  static Json expected() {
    return Json::parse(R"({
      "positionEncoding": "utf-16",
      "textDocumentSync": {"openClose": true, "change": 2, "save": true},
      "workspace": {
        "workspaceFolders": {"supported": true, "changeNotifications": true},
        "fileOperations": {
          "didCreate": {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]},
          "didRename": {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]},
          "didDelete": {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}}},
      "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite"],
                             "resolveProvider": true, "workDoneProgress": false},
      "executeCommandProvider": {
        "commands": ["redraft.snoozeSuggestions", "redraft.resumeSuggestions", "redraft.edit",
                     "redraft.apply", "redraft.cancel", "redraft.completionAccepted",
                     "redraft.completionRejected", "redraft.nextEditAccepted",
                     "redraft.nextEditRejected"],
        "workDoneProgress": true},
      "experimental": {"redraft": {"streamedEdits": true, "prepare": true, "region": true, "expectCompletion": true, "protocol": 1}}})");
  }
};

TEST_F(AnswerTest, OfAPlainClient) {
  Json plain = expected();
  plain["completionProvider"] = {{"resolveProvider", true}};
  EXPECT_EQ(capabilities(Json::object()), plain);
}

TEST_F(AnswerTest, OfAClientWithInlineCompletion) {
  Json able = expected();
  able["inlineCompletionProvider"] = Json::object();
  EXPECT_EQ(capabilities(kAble), able);
}

TEST_F(AnswerTest, OfAClientThatWantsTheMenuToo) {
  Json both = expected();
  both["inlineCompletionProvider"] = Json::object();
  both["completionProvider"] = {{"resolveProvider", true}};
  both["positionEncoding"] = "utf-8";
  Json client = kAble;
  client["general"] = {{"positionEncodings", {"utf-8"}}};
  EXPECT_EQ(capabilities(client, kMenuAlways), both);
}

TEST_F(AnswerTest, OfAClientThatWantsNoCompletion) {
  EXPECT_EQ(capabilities(Json::object(), kMenuNever), expected());
}

// A new feature, and what one may forget in it.
class Hovers : public Feature {
 public:
  explicit Hovers(bool announced, bool answered) : announced_(announced), answered_(answered) {}
  void begin(const InitializeParams&, FeatureRegistry& registry) override {
    if (answered_) registry.on("textDocument/hover", this, &Hovers::hover);
    if (announced_) registry.announce("hoverProvider", true);
  }

 private:
  void hover(const NoParams&, Reply reply) { reply("hovers"); }

  bool announced_, answered_;
};

class RegistryTest : public testing::Test {
 protected:
  Json ask(const std::string& method, const Json& params = Json::object()) {
    sent_.clear();
    dispatcher_.receive(
        Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump());
    return sent_.at(0);
  }

  RegistryTest() { dispatcher_.set_lifecycle(Dispatcher::Lifecycle::kServing); }

  std::vector<Json> sent_;
  Dispatcher dispatcher_{std::make_shared<Connection>(Connection::Link{
      .send = [this](const std::string& text) { sent_.push_back(Json::parse(text)); },
      .congested = [] { return false; }})};
  FeatureRegistry registry_{dispatcher_};
};

TEST_F(RegistryTest, AFeatureIsWhatItRegisters) {
  Hovers hovers(true, true);
  EXPECT_EQ(ask("textDocument/hover").at("error").at("code"), -32601);
  hovers.begin({}, registry_);
  EXPECT_EQ(ask("textDocument/hover").at("result"), "hovers");
  EXPECT_EQ(registry_.capabilities(), (Json{{"hoverProvider", true}}));
  EXPECT_THAT(unannounced(registry_), IsEmpty());
  EXPECT_THAT(unanswered(registry_), IsEmpty());
}

TEST_F(RegistryTest, AForgottenCapabilityIsFound) {
  Hovers(false, true).begin({}, registry_);
  EXPECT_THAT(unannounced(registry_), ElementsAre("textDocument/hover without /hoverProvider"));
}

TEST_F(RegistryTest, AForgottenMethodIsFound) {
  Hovers(true, false).begin({}, registry_);
  EXPECT_THAT(unanswered(registry_), ElementsAre("/hoverProvider without textDocument/hover"));
}

TEST_F(RegistryTest, WhatNobodyKnowsIsFound) {
  registry_.announce("telepathyProvider", true);
  EXPECT_THAT(unanswered(registry_), ElementsAre(HasSubstr("/telepathyProvider")));
}

class Commands {
 public:
  void first(const ExecuteCommandParams& params, const Reply& reply) {
    reply({{"first", params.argument}});
  }
  void second(const ExecuteCommandParams&, const Reply& reply) { reply("second"); }
};

TEST_F(RegistryTest, CommandsAreAnnouncedByThemselves) {
  Commands commands;
  EXPECT_EQ(ask("workspace/executeCommand", {{"command", "z"}}).at("error").at("code"), -32601);
  registry_.on_command("z", &commands, &Commands::first);
  registry_.on_command("a", &commands, &Commands::second);
  EXPECT_EQ(registry_.capabilities().at("executeCommandProvider"),
            (Json{{"commands", {"z", "a"}}, {"workDoneProgress", true}}));
  EXPECT_THAT(unannounced(registry_), IsEmpty());
  EXPECT_EQ(ask("workspace/executeCommand", {{"command", "z"}, {"arguments", {7}}})
                .at("result")
                .at("first"),
            7);
  EXPECT_EQ(ask("workspace/executeCommand", {{"command", "a"}}).at("result"), "second");
  EXPECT_THAT(ask("workspace/executeCommand", {{"command", "b"}}).at("error").at("message").dump(),
              HasSubstr("no command b"));
}

TEST_F(RegistryTest, SeveralHaveTheirPartOfOneCapability) {
  registry_.announce("workspace", {{"a", {{"x", 1}}}});
  registry_.announce("workspace", {{"b", true}, {"a", {{"y", 2}}}});
  EXPECT_EQ(registry_.capabilities().at("workspace"),
            (Json{{"a", {{"x", 1}, {"y", 2}}}, {"b", true}}));
}

}  // namespace
}  // namespace redraft::lsp
