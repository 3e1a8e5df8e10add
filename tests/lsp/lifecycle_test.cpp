#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/lsp/server_fixture.h"

namespace redraft::lsp {
namespace {

TEST_F(ServerTest, ARequestBeforeInitializeIsRefused) {
  EXPECT_EQ(code(request("textDocument/codeAction")), -32002);
  EXPECT_EQ(code(request("shutdown")), -32002);
  EXPECT_EQ(code(request("no/such/method")), -32002);
  EXPECT_TRUE(notify("textDocument/didOpen", {{"textDocument", 1}}).empty());
  EXPECT_TRUE(initialize().contains("result"));
}

TEST_F(ServerTest, ASecondInitializeIsRefused) {
  initialize();
  EXPECT_EQ(code(initialize()), -32600);
}

TEST_F(ServerTest, AfterShutdownOnlyExitIsServed) {
  initialize();
  EXPECT_EQ(request("shutdown").at("result"), nullptr);
  EXPECT_EQ(code(request("redraft/status")), -32600);
  EXPECT_EQ(code(request("shutdown")), -32600);
  EXPECT_EQ(code(request("initialize")), -32600);
  EXPECT_FALSE(exit_code_);
  notify("exit");
  EXPECT_EQ(exit_code_, 0);
}

TEST_F(ServerTest, ExitWithoutShutdownIsAFailure) {
  initialize();
  notify("exit");
  EXPECT_EQ(exit_code_, 1);
}

TEST_F(ServerTest, ExitBeforeInitializeIsAFailure) {
  notify("exit");
  EXPECT_EQ(exit_code_, 1);
}

TEST_F(ServerTest, UnknownMethods) {
  initialize();
  EXPECT_EQ(code(request("textDocument/hover")), -32601);
  EXPECT_EQ(code(request("$/unknown")), -32601);
  EXPECT_TRUE(notify("$/unknown").empty());
  EXPECT_TRUE(notify("workspace/didSomething").empty());
  EXPECT_TRUE(notify("$/cancelRequest", {{"id", 77}}).empty());
  EXPECT_TRUE(notify("$/cancelRequest", {{"no", "id"}}).empty());
  EXPECT_EQ(code(request("textDocument/didOpen")), -32601) << "a notification is no request";
}

TEST_F(ServerTest, WhatIsNoMessageIsAnswered) {
  initialize();
  const auto answer = [&](const std::string& content) {
    const auto sent = receive(content);
    return sent.size() == 1 ? sent[0] : Json();
  };
  EXPECT_EQ(code(answer("{\"jsonrpc\":")), -32700);
  EXPECT_EQ(answer("{\"jsonrpc\":").at("id"), nullptr);
  EXPECT_EQ(code(answer("")), -32700);
  EXPECT_EQ(code(answer(std::string(1000, '['))), -32700);
  EXPECT_EQ(code(answer("[]")), -32600);
  EXPECT_EQ(code(answer("1")), -32600);
  EXPECT_EQ(code(answer("{}")), -32600);
  EXPECT_EQ(code(answer("{\"id\": 1, \"method\": 2}")), -32600);
  EXPECT_EQ(code(answer("{\"id\": null, \"method\": \"shutdown\"}")), -32600);
  EXPECT_EQ(code(answer("{\"id\": {}, \"method\": \"shutdown\"}")), -32600);
  EXPECT_TRUE(receive("{\"id\": 99, \"result\": null}").empty()) << "an answer to nothing";
  EXPECT_TRUE(request("redraft/status").contains("result")) << "it goes on";
}

TEST(Dispatcher, AnAnswerWhoseReceiverThrowsHurtsNobody) {
  std::vector<Json> sent;
  const auto connection = std::make_shared<Connection>(
      Connection::Link{.send = [&](const std::string& text) { sent.push_back(Json::parse(text)); },
                       .congested = [] { return false; }});
  Dispatcher dispatcher(connection);
  connection->request("workspace/applyEdit", Json::object(),
                      [](const Json* result) { (void)result->at("missing"); });
  ASSERT_EQ(sent.size(), 1U);
  const Json answer = {{"jsonrpc", "2.0"}, {"id", sent[0].at("id")}, {"result", {{"a", 1}}}};
  EXPECT_NO_THROW(dispatcher.receive(answer.dump()));
  EXPECT_EQ(sent.size(), 1U) << "an answer is not answered";
}

TEST_F(ServerTest, IdsMayBeStrings) {
  initialize();
  const auto sent = receive("{\"jsonrpc\":\"2.0\",\"id\":\"a-1\",\"method\":\"redraft/status\"}");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].at("id"), "a-1");
}

TEST_F(ServerTest, TheFirstKnownEncodingOfTheClientIsTaken) {
  const auto encoding = [](Json offered) {
    InitializeParams params;
    from_json({{"capabilities", {{"general", {{"positionEncodings", std::move(offered)}}}}}},
              params);
    return params.capabilities.encoding;
  };
  EXPECT_EQ(encoding({"utf-8", "utf-16"}), Encoding::kUtf8);
  EXPECT_EQ(encoding({"utf-16", "utf-8"}), Encoding::kUtf16);
  EXPECT_EQ(encoding({"utf-7", "utf-32", "utf-8"}), Encoding::kUtf32);
  EXPECT_EQ(encoding({"utf-7"}), Encoding::kUtf16);
  EXPECT_EQ(encoding(Json::array()), Encoding::kUtf16);
  EXPECT_EQ(encoding(3), Encoding::kUtf16);
  const Json result = initialize({{"general", {{"positionEncodings", {"utf-32"}}}}}).at("result");
  EXPECT_EQ(result.at("capabilities").at("positionEncoding"), "utf-32");
}

TEST_F(ServerTest, MistypedParametersAreInvalid) {
  initialize({{"workspace", {{"applyEdit", true}}}});
  open("a\n");
  const Json good = {{"textDocument", {{"uri", "file:///a.py"}, {"version", 1}}},
                     {"instruction", "x"}};
  const auto with = [&](const char* key, Json value) {
    Json changed = good;
    changed[key] = std::move(value);
    return changed;
  };
  EXPECT_EQ(code(request("textDocument/codeAction")), -32602);
  EXPECT_EQ(code(request("workspace/executeCommand", {{"command", "redraft.edit"}})), -32602);
  EXPECT_EQ(code(request("workspace/executeCommand", {{"command", "other"}})), -32602);
  EXPECT_EQ(code(request("workspace/executeCommand", {{"command", "redraft.cancel"}})), -32602);
  EXPECT_EQ(code(edit(with("instruction", nullptr))), -32602);
  EXPECT_EQ(code(edit(with("instruction", " \t\r\n"))), -32602);
  EXPECT_EQ(code(edit(with("textDocument", {{"uri", "file:///not-open"}}))), -32602);
  EXPECT_EQ(code(edit(with("textDocument", {{"uri", "file:///a.py"}, {"version", 1.5}}))), -32602);
  EXPECT_EQ(code(edit(with("range", {{"start", 1}}))), -32602);
  EXPECT_EQ(code(edit(with("range", {{"start", {{"line", -1}, {"character", 0}}},
                                     {"end", {{"line", 0}, {"character", 0}}}}))),
            -32602);
  EXPECT_EQ(code(edit(with("scope", "galaxy"))), -32602);
  EXPECT_EQ(code(edit(with("scope", "selection"))), -32602) << "without a range";
  EXPECT_EQ(code(edit(with("decoder", "no-such-decoder"))), -32602);
  EXPECT_EQ(code(edit(with("maxNewTokens", -1))), -32602);
  EXPECT_EQ(code(request("redraft/resolveEdit", {{"editId", 1}, {"action", "eat"}})), -32602);
  EXPECT_EQ(code(request("redraft/resolveEdit", {{"editId", 1}, {"action", "accept"}})), -32602)
      << "unknown edit";
}

TEST_F(ServerTest, AnEditOfAnOldVersionIsRefused) {
  initialize({{"workspace", {{"applyEdit", true}}}});
  open("a\n", 3);
  const auto argument = [](int version) {
    return Json{{"textDocument", {{"uri", "file:///a.py"}, {"version", version}}},
                {"instruction", "x"}};
  };
  EXPECT_EQ(code(edit(argument(2))), -32801);
  EXPECT_EQ(code(edit(argument(4))), -32801);
  EXPECT_TRUE(edit(argument(3)).contains("result"));
}

TEST_F(ServerTest, AChangeThatIsLostClosesTheDocumentUntilItIsOpenedAnew) {
  initialize({{"workspace", {{"applyEdit", true}}}});
  const Json before_start = {{"line", 0}, {"character", -1}};
  const Json somewhere = {{"line", 0}, {"character", 0}};
  const Json good = Json::array({{{"text", "b\n"}}});
  const auto change = [&](Json version, Json changes) {
    return notify("textDocument/didChange",
                  {{"textDocument", {{"uri", "file:///a.py"}, {"version", std::move(version)}}},
                   {"contentChanges", std::move(changes)}});
  };
  const auto can_edit = [&](int version) {
    return code(edit({{"textDocument", {{"uri", "file:///a.py"}, {"version", version}}},
                      {"instruction", "x"}})) == 0;
  };
  const auto expect_lost = [&](const Json& version, const Json& changes) {
    SCOPED_TRACE(version.dump() + changes.dump());
    open("a\n", 3);
    ASSERT_TRUE(can_edit(3));
    const std::vector<Json> sent = change(version, changes);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].at("method"), "window/showMessage");
    EXPECT_THAT(sent[0].at("params").at("message").get<std::string>(),
                testing::HasSubstr("open it again"));
    EXPECT_TRUE(change(5, good).empty()) << "said once";
    EXPECT_FALSE(can_edit(5));
  };
  const Json range = {{"start", before_start}, {"end", somewhere}};
  expect_lost(4, Json::array({{{"range", range}, {"text", "b"}}}));
  expect_lost(4, Json::array({good[0], {{"range", nullptr}}}));
  expect_lost(4, "all of it");
  expect_lost(4.5, good);
  for (const int version : {3, 2}) {
    open("a\n", 3);
    EXPECT_TRUE(change(version, good).empty()) << "a version that does not rise is counted up";
    EXPECT_TRUE(can_edit(version));
  }
  open("a\n", 1);
  EXPECT_TRUE(change(9, good).empty()) << "versions may skip";
  EXPECT_TRUE(can_edit(9));
  EXPECT_TRUE(change(nullptr, good).empty());
  EXPECT_TRUE(can_edit(10));
}

TEST_F(ServerTest, AClientThatCanTakeNoEditIsToldSo) {
  initialize();
  open("a\n");
  EXPECT_EQ(code(edit({{"textDocument", {{"uri", "file:///a.py"}}}, {"instruction", "x"}})),
            -32803);
}

Json action_client(bool prompt, bool resolves, bool literals) {
  Json action = Json::object();
  if (literals) action["codeActionLiteralSupport"] = Json::object();
  if (resolves) action["dataSupport"] = true;
  if (resolves) action["resolveSupport"] = {{"properties", {"edit"}}};
  return {{"textDocument", {{"codeAction", action}}},
          {"workspace", {{"applyEdit", true}}},
          {"experimental", {{"redraft", {{"streamedEdits", prompt}, {"prompt", prompt}}}}}};
}

Json action_params(Json only = nullptr) {
  const Json range = {{"start", {{"line", 0}, {"character", 0}}},
                      {"end", {{"line", 0}, {"character", 1}}}};
  Json context = {{"diagnostics", {{{"range", range}, {"message", "undefined name 'a'"}}}}};
  if (!only.is_null()) context["only"] = std::move(only);
  return {{"textDocument", {{"uri", "file:///a.py"}}}, {"range", range}, {"context", context}};
}

TEST_F(ServerTest, CodeActionsCarryDataToResolve) {
  initialize(action_client(false, true, true));
  open("a\n");
  const Json actions = request("textDocument/codeAction", action_params()).at("result");
  ASSERT_GE(actions.size(), 2U);
  EXPECT_EQ(actions[0].at("kind"), "quickfix");
  EXPECT_EQ(actions[0].at("diagnostics").size(), 1U);
  EXPECT_NE(actions[0].at("data").at("instruction").get<std::string>().find("undefined name 'a'"),
            std::string::npos);
  for (const Json& action : actions) {
    EXPECT_FALSE(action.contains("edit"));
    EXPECT_FALSE(action.contains("command"));
    EXPECT_EQ(action.at("data").at("textDocument").at("version"), 1);
  }
}

TEST_F(ServerTest, CodeActionsOfAPromptingClientCarryItsCommand) {
  initialize(action_client(true, true, true));
  open("a\n");
  const Json actions = request("textDocument/codeAction", action_params({"refactor"})).at("result");
  ASSERT_GE(actions.size(), 2U);
  EXPECT_EQ(actions[0].at("title"), "Edit with redraft…");
  EXPECT_EQ(actions[0].at("command").at("command"), "redraft.prompt");
  EXPECT_EQ(actions[0].at("command").at("arguments")[0].at("instruction"), nullptr);
  EXPECT_EQ(actions[1].at("command").at("arguments")[0].at("instruction").type(),
            Json::value_t::string);
  for (const Json& action : actions) EXPECT_EQ(action.at("kind"), "refactor.rewrite");
}

TEST_F(ServerTest, CodeActionsOfAnOldClientAreCommands) {
  initialize(action_client(false, false, false));
  open("a\n");
  const Json commands = request("textDocument/codeAction", action_params()).at("result");
  EXPECT_GE(commands.size(), 2U);
  for (const Json& command : commands) {
    EXPECT_EQ(command.at("command"), "redraft.edit");
    EXPECT_EQ(command.at("arguments").size(), 1U);
  }
}

TEST_F(ServerTest, CodeActionsStaySmallWhateverTheFileIs) {
  initialize(action_client(false, true, true));
  std::string line = "é😀";
  while (line.size() < 500000) line += line;
  const std::string message = "m" + line;
  open("x" + line + "\n");
  Json params = action_params({"quickfix"});
  const Json range = params.at("range");
  Json& diagnostics = params["context"]["diagnostics"];
  diagnostics = Json::array({{{"range", range}, {"message", message}}});
  const Json fixes = request("textDocument/codeAction", params).at("result");
  ASSERT_EQ(fixes.size(), 1U);
  const auto instruction = fixes[0].at("data").at("instruction").get<std::string>();
  EXPECT_LT(instruction.size(), 1300U);
  EXPECT_THAT(instruction, testing::StartsWith("Fix this problem in line 1 (`xé😀é😀"));
  EXPECT_THAT(instruction, testing::HasSubstr("…`): mé😀é😀"));
  EXPECT_THAT(instruction, testing::EndsWith("…"));
  EXPECT_EQ(instruction.find("\xEF\xBF\xBD"), std::string::npos) << "cut within a character";

  diagnostics = Json::array();
  for (int i = 0; i < 500; ++i) diagnostics.push_back({{"range", range}, {"message", "bad"}});
  EXPECT_EQ(request("textDocument/codeAction", params).at("result").size(), 20U);
}

TEST_F(ServerTest, CodeActionsWithoutASelectionAreForThePlace) {
  initialize(action_client(false, true, true));
  open("a\nb\n");
  Json params = action_params();
  params["range"]["end"] = params["range"]["start"];
  const Json answer = request("textDocument/codeAction", params);
  for (const Json& action : answer.at("result")) {
    EXPECT_EQ(action.at("data").at("scope"), "auto") << action.at("title");
    EXPECT_EQ(action.at("data").at("range").at("start"), action.at("data").at("range").at("end"));
  }
}

TEST_F(ServerTest, CodeActionsThatMakeNoSenseAreDisabledWithTheReason) {
  Json capabilities = action_client(false, true, true);
  capabilities["textDocument"]["codeAction"]["disabledSupport"] = true;
  initialize(capabilities);
  notify(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", "file:///a.py"}, {"languageId", "cpp"}, {"version", 1}, {"text", "int a;\n"}}}});
  const auto disabled = [&] {
    std::vector<std::string> reasons;
    const Json actions =
        request("textDocument/codeAction", action_params({"refactor"})).at("result");
    for (const Json& action : actions) {
      if (action.contains("disabled")) reasons.push_back(action["disabled"]["reason"]);
    }
    return reasons;
  };
  EXPECT_THAT(disabled(), testing::ElementsAre("this language already requires types"));
  notify("textDocument/didOpen", {{"textDocument",
                                   {{"uri", "file:///a.py"},
                                    {"languageId", "cpp"},
                                    {"version", 1},
                                    {"text", std::string("a\0b", 3)}}}});
  EXPECT_THAT(disabled(), testing::ElementsAre(testing::HasSubstr("NUL")));
}

TEST_F(ServerTest, CodeActionsHonourTheKindsAskedFor) {
  initialize(action_client(false, true, true));
  open("a\n");
  const auto count = [&](Json only) {
    return request("textDocument/codeAction", action_params(std::move(only))).at("result").size();
  };
  EXPECT_EQ(count({"quickfix"}), 1U);
  EXPECT_EQ(count({"source"}), 0U);
  EXPECT_EQ(count({"refactor.rewriteX"}), 0U);
  EXPECT_EQ(count({"refactor"}), count({"refactor.rewrite"}));
  EXPECT_EQ(count({""}), count({"refactor", "quickfix"}));
}

}  // namespace
}  // namespace redraft::lsp
