// How the server handles a message of which it knows only the outline.
#include "lsp/features/unread_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/lsp/server_fixture.h"

namespace redraft::lsp {
namespace {

using testing::HasSubstr;

constexpr const char* kUri = "file:///a.py";
constexpr std::size_t kBytes = (std::size_t{70} << 20) - 5;

class UnreadMessagesTest : public ServerTest {
 protected:
  // Everything that the server sends in response.
  std::vector<Json> receive_unread(const MessageOutline& outline) {
    sent_.clear();
    server_.receive_unread({.bytes = kBytes, .outline = outline});
    return sent_;
  }
  std::vector<Json> lose(const std::string& method, const std::string& uri = kUri) {
    return receive_unread({.id = nullptr, .method = method, .uri = uri});
  }
  // The server's answer to an edit of the document.
  std::string refusal() {
    const Json answer = edit({{"textDocument", {{"uri", kUri}}}, {"instruction", "do it"}});
    return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
  }
  std::vector<Json> change(int version) {
    return notify("textDocument/didChange",
                  {{"textDocument", {{"uri", kUri}, {"version", version}}},
                   {"contentChanges", {{{"text", "other = 1\n"}}}}});
  }
};

TEST_F(UnreadMessagesTest, ADocumentThatIsTooLargeIsRefusedAndTheUserIsToldOnce) {
  initialize({{"workspace", {{"applyEdit", true}}}});
  ASSERT_EQ(lose("textDocument/didOpen").size(), 1);
  const std::vector<Json> told = params_of("window/showMessage");
  ASSERT_EQ(told.size(), 1);
  EXPECT_EQ(told[0].at("type"), 2);
  const auto text = told[0].at("message").get<std::string>();
  EXPECT_THAT(text, HasSubstr(kUri));
  EXPECT_THAT(text, HasSubstr("70 MB"));
  EXPECT_THAT(text, HasSubstr("exceeds the limit of 64 MB"));
  EXPECT_THAT(refusal(), HasSubstr("not open"));
  EXPECT_TRUE(lose("textDocument/didOpen").empty()) << "the editor tries again";
  EXPECT_TRUE(lose("textDocument/didChange").empty()) << "a keystroke there, as a whole text";
  EXPECT_EQ(lose("textDocument/didOpen", "file:///b.py").size(), 1) << "another one";
}

TEST_F(UnreadMessagesTest, WhatFollowsForARefusedDocumentIsQuiet) {
  initialize();
  lose("textDocument/didOpen");
  for (int version = 2; version < 10; ++version) EXPECT_TRUE(change(version).empty());
  EXPECT_TRUE(notify("textDocument/didSave", {{"textDocument", {{"uri", kUri}}}}).empty());
  EXPECT_TRUE(notify("textDocument/didClose", {{"textDocument", {{"uri", kUri}}}}).empty());
  EXPECT_TRUE(notify("textDocument/didClose", {{"textDocument", {{"uri", kUri}}}}).empty());
  open("x = 1\n");
  EXPECT_TRUE(params_of("window/showMessage").empty());
  EXPECT_TRUE(change(2).empty()) << "opened anew, it is a document like others";
}

TEST_F(UnreadMessagesTest, AChangeThatIsLostGivesTheDocumentUp) {
  initialize({{"workspace", {{"applyEdit", true}}}});
  open("x = 1\n");
  lose("textDocument/didChange");
  EXPECT_EQ(params_of("window/showMessage").size(), 1);
  EXPECT_THAT(refusal(), HasSubstr("not open"));
  EXPECT_TRUE(change(3).empty()) << "nothing is changed in a text that is not the client's";
  EXPECT_THAT(refusal(), HasSubstr("not open"));
}

TEST_F(UnreadMessagesTest, AnotherOpenOfADocumentDoesNotLeaveTheTextBefore) {
  initialize({{"workspace", {{"applyEdit", true}}}});
  open("x = 1\n");
  lose("textDocument/didOpen");
  EXPECT_THAT(refusal(), HasSubstr("not open"));
  const Json actions = request(
      "textDocument/codeAction",
      {{"textDocument", {{"uri", kUri}}},
       {"range",
        {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}},
       {"context", {{"diagnostics", Json::array()}}}});
  EXPECT_TRUE(actions.contains("result"));
}

TEST_F(UnreadMessagesTest, ARequestIsAnswered) {
  initialize();
  const std::vector<Json> sent =
      receive_unread({.id = "r", .method = "textDocument/codeAction", .uri = kUri});
  ASSERT_EQ(sent.size(), 1);
  EXPECT_EQ(sent[0].at("id"), "r");
  EXPECT_EQ(code(sent[0]), -32803);
  EXPECT_THAT(sent[0]["error"]["message"].get<std::string>(), HasSubstr("70 MB"));
}

TEST_F(UnreadMessagesTest, AnAnswerIsNone) {
  initialize({{"workspace", {{"configuration", true}}}});
  notify("initialized");
  ASSERT_FALSE(sent_.empty());
  EXPECT_EQ(sent_[0].at("method"), "workspace/configuration");
  receive_unread({.id = sent_[0].at("id"), .method = "", .uri = ""});
  for (const Json& reason : status().at("reasons"))
    EXPECT_THAT(reason.get<std::string>(), testing::Not(HasSubstr("waits")));
  EXPECT_TRUE(receive_unread({.id = 4711, .method = "", .uri = ""}).empty());
}

TEST_F(UnreadMessagesTest, OthersAreToldOfOnce) {
  initialize();
  EXPECT_EQ(lose("$/telemetry", "").size(), 1);
  EXPECT_THAT(params_of("window/showMessage").at(0).at("message").get<std::string>(),
              HasSubstr("$/telemetry"));
  EXPECT_TRUE(receive_unread({}).empty());
  EXPECT_TRUE(lose("textDocument/didOpen", "").empty());
}

TEST_F(UnreadMessagesTest, OutsideOfTheSessionNothingIsDone) {
  EXPECT_TRUE(lose("textDocument/didOpen").empty()) << "before initialize";
  EXPECT_EQ(code(receive_unread({.id = 1, .method = "initialize", .uri = ""}).at(0)), -32803);
  initialize();
  request("shutdown");
  EXPECT_TRUE(lose("textDocument/didOpen").empty());
}

TEST_F(UnreadMessagesTest, ALongNameIsCut) {
  initialize();
  lose("textDocument/didOpen", "file:///" + std::string(4000, 'x'));
  EXPECT_LT(params_of("window/showMessage").at(0).at("message").get<std::string>().size(), 600);
}

}  // namespace
}  // namespace redraft::lsp
