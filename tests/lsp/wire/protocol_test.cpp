// The details of JSON-RPC and of the requests: what is refused, and how.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/lsp/server_fixture.h"

namespace redraft::lsp {
namespace {

using testing::HasSubstr;

class ProtocolTest : public ServerTest {
 protected:
  ProtocolTest() {
    initialize({{"workspace", {{"applyEdit", true}}}});
    open("a\n");
  }
  // A request that waits for the model.
  static std::string waiting(const Json& id) {
    const Json data = {{"textDocument", {{"uri", "file:///a.py"}}}, {"instruction", "x"}};
    return Json{{"jsonrpc", "2.0"},
                {"id", id},
                {"method", "codeAction/resolve"},
                {"params", {{"title", "t"}, {"data", data}}}}
        .dump();
  }
  // The only message sent in answer to this.
  Json answered(const std::string& content) {
    const std::vector<Json> sent = receive(content);
    EXPECT_EQ(sent.size(), 1U) << content;
    return sent.empty() ? Json() : sent[0];
  }
};

TEST_F(ProtocolTest, BatchesAreRefusedByName) {
  for (const char* batch :
       {"[]", "[1]", R"([{"jsonrpc":"2.0","id":1,"method":"redraft/status"}])"}) {
    const Json answer = answered(batch);
    EXPECT_EQ(code(answer), -32600);
    EXPECT_EQ(answer.at("id"), nullptr);
    EXPECT_THAT(answer.at("error").at("message").get<std::string>(), HasSubstr("batches"));
  }
}

TEST_F(ProtocolTest, AnIdIsAnIntegerOrAText) {
  for (const char* id : {"null", "1.5", "1e300", "true", "[1]", "{}", "99999999999999999999999"}) {
    const Json answer =
        answered(std::string(R"({"jsonrpc":"2.0","method":"redraft/status","id":)") + id + "}");
    EXPECT_EQ(code(answer), -32600) << id;
    EXPECT_EQ(answer.at("id"), nullptr);
  }
  for (const Json& id :
       {Json(0), Json(-1), Json(INT64_MIN), Json(UINT64_MAX), Json(""), Json("é\n")}) {
    const Json answer = answered(Json{{"id", id}, {"method", "redraft/status"}}.dump());
    EXPECT_EQ(answer.at("id"), id);
    EXPECT_TRUE(answer.contains("result"));
  }
}

TEST_F(ProtocolTest, AnIdThatIsStillInUseIsRefused) {
  EXPECT_TRUE(receive(waiting(500)).empty());
  EXPECT_EQ(code(answered(waiting(500))), -32600);
  EXPECT_EQ(code(answered(Json{{"id", 500}, {"method", "redraft/status"}}.dump())), -32600);
  sent_.clear();
  EXPECT_TRUE(run_until([&] { return !sent_.empty() && sent_.back().value("id", 0) == 500; }));
  EXPECT_EQ(code(sent_.back()), -32803) << "the one that waited";
  EXPECT_TRUE(receive(waiting(500)).empty()) << "it is free again";
}

TEST_F(ProtocolTest, RequestsThatWaitAreBounded) {
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(receive(waiting(10000 + i)).empty());
  const Json refused = answered(waiting(20000));
  EXPECT_EQ(code(refused), -32803);
  EXPECT_THAT(refused.at("error").at("message").get<std::string>(), HasSubstr("1000 requests"));
  sent_.clear();
  std::multiset<int> answers;
  EXPECT_TRUE(run_until([&] {
    for (const Json& message : std::exchange(sent_, {}))
      if (message.contains("id") && !message.contains("method"))
        answers.insert(message["id"].get<int>());
    return answers.size() >= 1000;
  }));
  EXPECT_EQ(std::set<int>(answers.begin(), answers.end()).size(), 1000U) << "each once";
  EXPECT_TRUE(request("redraft/status").contains("result"));
  EXPECT_TRUE(request("shutdown").contains("result"));
}

TEST_F(ProtocolTest, AnswersThatNobodyWaitsForAreIgnored) {
  for (const char* answer :
       {R"({"id": 99, "result": null})", R"({"id": null, "error": {"code": 1, "message": "x"}})",
        R"({"id": "x", "result": 1})", R"({"id": 1.5, "result": 1})", R"({"id": {}, "error": 3})"})
    EXPECT_TRUE(receive(answer).empty()) << answer;
  EXPECT_TRUE(request("redraft/status").contains("result"));
}

TEST(ConnectionTest, AClientThatNeverAnswersCostsLittle) {
  std::vector<Json> sent;
  Connection connection(
      {.send = [&](const std::string& text) { sent.push_back(Json::parse(text)); },
       .congested = [] { return false; }});
  const auto counted = std::make_shared<int>(0);
  for (int i = 0; i < 5000; ++i)
    connection.request("workspace/applyEdit", Json::object(),
                       [counted](const Json*) { ++*counted; });
  EXPECT_LE(counted.use_count(), 1001);
  connection.receive_response({{"id", sent.back().at("id")}, {"result", nullptr}});
  connection.receive_response({{"id", sent.front().at("id")}, {"result", nullptr}});
  EXPECT_EQ(*counted, 1) << "the newest still counts";
}

TEST_F(ProtocolTest, CodeActionsMayComeAsAPartialResult) {
  const Json position = {{"line", 0}, {"character", 0}};
  Json params = {{"textDocument", {{"uri", "file:///a.py"}}},
                 {"range", {{"start", position}, {"end", position}}},
                 {"context", {{"diagnostics", Json::array()}}}};
  const Json whole = request("textDocument/codeAction", params).at("result");
  params["partialResultToken"] = "part";
  request("textDocument/codeAction", params);
  ASSERT_EQ(sent_.size(), 2U);
  EXPECT_EQ(params_of("$/progress").at(0), (Json{{"token", "part"}, {"value", whole}}));
  EXPECT_EQ(sent_[1].at("result"), Json::array());
  params["partialResultToken"] = {1};
  EXPECT_EQ(code(request("textDocument/codeAction", params)), -32602);
}

TEST_F(ProtocolTest, FileOperationsAreAnnouncedAndTakenInAnyForm) {
  for (const char* method :
       {"workspace/didCreateFiles", "workspace/didRenameFiles", "workspace/didDeleteFiles"}) {
    for (const char* params :
         {R"({"files": [{"uri": "file:///x"}, {"oldUri": "file:///x", "newUri": "file:///y"}]})",
          R"({"files": [1, null, {}, {"uri": 3}, {"uri": "http://x"}]})", R"({"files": {}})", "{}"})
      EXPECT_TRUE(notify(method, Json::parse(params)).empty());
  }
  EXPECT_EQ(code(request("workspace/willRenameFiles", {{"files", Json::array()}})), -32601);
}

}  // namespace
}  // namespace redraft::lsp
