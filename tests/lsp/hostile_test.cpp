// Replaces every member of every message by values that do not belong there: each request is
// answered exactly once, no answer is an internal error, and the server continues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/lsp/server_fixture.h"

namespace redraft::lsp {
namespace {

struct Message {
  const char* method;
  Json params;  // valid
};

Json parse(const char* text) { return Json::parse(text); }

const char* const kInitialize = R"({
  "processId": 1, "clientInfo": {"name": "x", "version": "1"}, "rootUri": "file:///a",
  "workspaceFolders": [{"uri": "file:///a", "name": "a"}], "trace": "off",
  "initializationOptions": {"redraft": {"index": true, "dependencies": false,
    "commonFolders": ["/usr/include"], "completion": {"languages": {"c": true}, "menu": "auto"},
    "edit": {"maxTokens": 3}, "streamedEdits": true}},
  "capabilities": {"general": {"positionEncodings": ["utf-8"]},
    "window": {"workDoneProgress": true},
    "workspace": {"applyEdit": true, "configuration": true, "workspaceEdit": {"documentChanges": true},
                  "didChangeConfiguration": {"dynamicRegistration": true}},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {}, "dataSupport": true,
                                    "resolveSupport": {"properties": ["edit"]}}},
    "experimental": {"redraft": {"streamedEdits": true, "prompt": true}}}})";

std::vector<Message> requests() {
  return {{"textDocument/codeAction", parse(R"({"textDocument": {"uri": "file:///a.py"},
         "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
         "context": {"diagnostics": [{"range": {"start": {"line": 0, "character": 0},
                                                "end": {"line": 0, "character": 1}},
                                      "message": "m", "severity": 1}],
                     "only": ["quickfix"], "triggerKind": 1},
         "workDoneToken": 1, "partialResultToken": 2})")},
          {"codeAction/resolve", parse(R"({"title": "t", "kind": "quickfix",
         "data": {"textDocument": {"uri": "file:///a.py", "version": 1}, "instruction": "x",
                  "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
                  "scope": "selection", "decoder": "redraft", "maxNewTokens": 5}})")},
          {"workspace/executeCommand", parse(R"({"command": "redraft.edit", "workDoneToken": 1,
         "arguments": [{"textDocument": {"uri": "file:///a.py", "version": 1}, "instruction": "x",
                        "range": {"start": {"line": 0, "character": 0},
                                  "end": {"line": 0, "character": 1}},
                        "scope": "selection", "decoder": "redraft", "maxNewTokens": 5}]})")},
          {"workspace/executeCommand",
           parse(R"({"command": "redraft.cancel", "arguments": [{"editId": 1}]})")},
          {"redraft/resolveEdit", parse(R"({"editId": 1, "hunkIds": [0, 1], "action": "accept"})")},
          {"textDocument/inlineCompletion", parse(R"({"textDocument": {"uri": "file:///a.py"},
         "position": {"line": 0, "character": 1},
         "context": {"triggerKind": 1, "selectedCompletionInfo": {"text": "x",
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}}}})")},
          {"textDocument/completion", parse(R"({"textDocument": {"uri": "file:///a.py"},
         "position": {"line": 0, "character": 1}, "context": {"triggerKind": 1}})")},
          {"completionItem/resolve",
           parse(R"({"label": "x", "textEdit": {"newText": "x"}, "data": {"id": 1}})")},
          {"workspace/executeCommand",
           parse(R"({"command": "redraft.completionAccepted", "arguments": [{"id": 1}]})")},
          {"workspace/executeCommand",
           parse(R"({"command": "redraft.completionRejected", "arguments": [{"id": 1}]})")},
          {"workspace/executeCommand",
           parse(R"({"command": "redraft.snoozeSuggestions", "arguments": [{"minutes": 5}]})")},
          {"redraft/nextEdit", parse(R"({"textDocument": {"uri": "file:///a.py"},
         "position": {"line": 0, "character": 1}, "invoked": true})")},
          {"redraft/status", parse(R"({"a": 1})")},
          {"textDocument/hover", parse(R"({"textDocument": {"uri": "file:///a.py"}})")}};
}

std::vector<Message> notifications() {
  return {
      {"initialized", parse(R"({"a": 1})")},
      {"textDocument/didOpen", parse(R"({"textDocument": {"uri": "file:///a.py",
         "languageId": "python", "version": 1, "text": "a\n"}})")},
      {"textDocument/didChange", parse(R"({"textDocument": {"uri": "file:///a.py", "version": 2},
         "contentChanges": [{"range": {"start": {"line": 0, "character": 0},
                                       "end": {"line": 0, "character": 1}},
                             "rangeLength": 1, "text": "b"}, {"text": "c\n"}]})")},
      {"textDocument/didClose", parse(R"({"textDocument": {"uri": "file:///a.py"}})")},
      {"textDocument/didSave",
       parse(R"({"textDocument": {"uri": "file:///a.py"}, "text": "a\n"})")},
      {"workspace/didChangeWatchedFiles",
       parse(R"({"changes": [{"uri": "file:///a.py", "type": 1}]})")},
      {"workspace/didRenameFiles",
       parse(R"({"files": [{"oldUri": "file:///a.py", "newUri": "file:///b.py"}]})")},
      {"workspace/didChangeWorkspaceFolders",
       parse(R"({"event": {"added": [{"uri": "file:///b", "name": "b"}],
                           "removed": [{"uri": "file:///a", "name": "a"}]}})")},
      {"workspace/didChangeConfiguration",
       parse(R"({"settings": {"redraft": {"index": true, "completion": {"delay": 5}}}})")},
      {"textDocument/didShowCompletion",
       parse(R"({"item": {"insertText": "x", "command": {"arguments": [{"id": 1}]}}})")},
      {"textDocument/didPartiallyAcceptCompletion",
       parse(R"({"acceptedLength": 1, "item": {"command": {"arguments": [{"id": 1}]}}})")},
      {"textDocument/didFocus", parse(R"({"textDocument": {"uri": "file:///a.py"}})")},
      {"$/setTrace", parse(R"({"value": "messages"})")},
      {"$/cancelRequest", parse(R"({"id": 1})")},
      {"$/progress", parse(R"({"token": 1, "value": {}})")},
      {"window/workDoneProgress/cancel", parse(R"({"token": 1})")}};
}

std::vector<Json> replacements() {
  Json deep = 1;
  for (int i = 0; i < 200; ++i) deep = Json::array({deep});
  return {nullptr,
          true,
          0,
          -1,
          1e300,
          2.5,
          INT64_MIN,
          UINT64_MAX,
          std::int64_t{1} << 31,
          "",
          "text",
          std::string(100000, 'x'),
          "\xF0\x9F\x98\x80",
          Json::array(),
          Json::array({nullptr, 1, "x", Json::object()}),
          Json::object(),
          {{"uri", 1}},
          deep};
}

// All places within `json`, beginning with `json` itself.
void add_places(const Json& json, const Json::json_pointer& at,
                std::vector<Json::json_pointer>* places) {
  places->push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) add_places(value, at / key, places);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) add_places(json[i], at / i, places);
  }
}

// `params` with each member omitted, and replaced by every kind of value.
std::vector<Json> mutations(const Json& params) {
  std::vector<Json::json_pointer> places;
  add_places(params, Json::json_pointer(), &places);
  std::vector<Json> all;
  for (const Json::json_pointer& place : places) {
    for (const Json& replacement : replacements()) {
      all.push_back(params);
      all.back()[place] = replacement;
    }
    if (place.empty()) continue;
    all.push_back(params);
    Json& parent = all.back()[place.parent_pointer()];
    if (parent.is_object()) {
      parent.erase(place.back());
    } else {
      parent.clear();
    }
  }
  return all;
}

class Hostile : public ServerTest {
 protected:
  // Fails unless the request is answered once, with a result or a permitted error.
  void expect_answer(const std::string& method, const Json& params) {
    const int id = ++last_id_;
    const auto n_answers = [&] {
      int count = 0;
      for (const Json& message : sent_)
        count += !message.contains("method") && message.value("id", Json()) == id;
      return count;
    };
    receive(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump());
    ASSERT_TRUE(run_until([&] { return n_answers() > 0; }));
    ASSERT_EQ(n_answers(), 1);
    for (const Json& message : sent_) ASSERT_NE(code(message), -32603) << message;
  }
  // The server still has its document and answers.
  void expect_alive() {
    open("abc\n");
    ASSERT_TRUE(request("redraft/status").contains("result"));
  }
};

TEST_F(Hostile, RequestsAreAnsweredOnce) {
  Json params = parse(kInitialize);
  params["trace"] = "off";
  params["capabilities"]["workspace"]["configuration"] = false;
  initialize(params["capabilities"]);
  int n = 0;
  for (const Message& message : requests()) {
    for (const Json& mutated : mutations(message.params)) {
      SCOPED_TRACE(std::string(message.method) + " " + mutated.dump().substr(0, 1000));
      open("abc\n");
      expect_answer(message.method, mutated);
      if (HasFatalFailure()) return;
      ++n;
    }
    expect_alive();
  }
  EXPECT_GT(n, 1000);
}

TEST_F(Hostile, NotificationsAreNotAnswered) {
  initialize({{"workspace", {{"applyEdit", true}}}});
  for (const Message& message : notifications()) {
    for (const Json& mutated : mutations(message.params)) {
      SCOPED_TRACE(std::string(message.method) + " " + mutated.dump().substr(0, 1000));
      open("abc\n");
      for (const Json& sent : notify(message.method, mutated)) {
        ASSERT_TRUE(sent.contains("method")) << sent;
        ASSERT_FALSE(sent.contains("id")) << sent;
      }
      notify("$/setTrace", {{"value", "off"}});
    }
    expect_alive();
    if (HasFatalFailure()) return;
  }
}

TEST_F(Hostile, AnswersToOurRequestsMayBeAnything) {
  initialize({{"workspace",
               {{"applyEdit", true},
                {"configuration", true},
                {"didChangeConfiguration", {{"dynamicRegistration", true}}}}},
              {"window", {{"workDoneProgress", true}}}});
  for (const Json& section : mutations(parse(R"([{"index": true, "completion": {"delay": 5}}])"))) {
    SCOPED_TRACE(section.dump().substr(0, 1000));
    notify("workspace/didChangeConfiguration", {{"settings", nullptr}});
    ASSERT_EQ(sent_.size(), 1U);
    answer(Json(sent_[0]), section);
    ASSERT_GE(server_.settings().completion.delay, 0);
  }
  expect_alive();
}

class FreshServer : public Hostile {
 public:
  void TestBody() override {}
  using Hostile::expect_alive;
  using Hostile::expect_answer;
  using Hostile::notify;
};

TEST(HostileInitialize, IsAnsweredOnce) {
  for (const Json& mutated : mutations(parse(kInitialize))) {
    SCOPED_TRACE(mutated.dump().substr(0, 2000));
    FreshServer fresh;
    fresh.expect_answer("initialize", mutated);
    fresh.notify("initialized");
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace redraft::lsp
