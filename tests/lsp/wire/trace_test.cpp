// $/setTrace and $/logTrace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/lsp/server_fixture.h"

namespace redraft::lsp {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class TraceTest : public ServerTest {
 protected:
  void set_trace(Json value) { notify("$/setTrace", {{"value", std::move(value)}}); }
  std::vector<std::string> traced(const char* member = "message") const {
    std::vector<std::string> texts;
    for (const Json& params : params_of("$/logTrace"))
      if (params.contains(member)) texts.push_back(params.at(member));
    return texts;
  }
};

TEST_F(TraceTest, OffByDefault) {
  initialize();
  EXPECT_TRUE(request("redraft/status").contains("result")) << "one message is sent, the answer";
}

TEST_F(TraceTest, MessagesAreNamed) {
  initialize();
  set_trace("messages");
  receive(R"({"id": 5, "method": "redraft/status"})");
  EXPECT_THAT(traced(), testing::ElementsAre("Received request 'redraft/status - (5)'.",
                                             "Sent response 'redraft/status - (5)'."));
  EXPECT_TRUE(traced("verbose").empty());
  receive(R"({"id": "a", "method": "no/such"})");
  EXPECT_THAT(traced().back(), "Sent error 'no/such - (\"a\")'.");
  notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///a.py"}}}});
  EXPECT_THAT(traced(), testing::ElementsAre("Received notification 'textDocument/didClose'."));
  set_trace("off");
  EXPECT_EQ(notify("textDocument/didClose").size(), 0U);
}

TEST_F(TraceTest, VerboselyWithSizesAndTimes) {
  initialize({}, {{"trace", "verbose"}});
  const std::string content = R"({"id": 5, "method": "redraft/status"})";
  receive(content);
  ASSERT_EQ(traced("verbose").size(), 2U);
  EXPECT_EQ(traced("verbose")[0], std::to_string(content.size()) + " bytes");
  EXPECT_THAT(traced("verbose")[1], MatchesRegex("[0-9]+ bytes, after [0-9]+\\.[0-9] ms"));
}

TEST_F(TraceTest, StrangeValuesMeanOff) {
  initialize({}, {{"trace", 5}});
  EXPECT_TRUE(notify("x").empty());
  for (const Json& strange : {Json("loud"), Json(), Json(1), Json::array()}) {
    set_trace("messages");
    set_trace(strange);
    EXPECT_TRUE(notify("x").empty());
  }
  notify("$/setTrace", Json::array());
}

TEST_F(TraceTest, TextIsNeverTraced) {
  const Json streaming = {{"experimental", {{"redraft", {{"streamedEdits", true}}}}}};
  initialize(streaming, {{"trace", "verbose"}});
  const auto uri = "file:///secret.py";
  std::string all;
  const auto keep = [&] {
    for (const Json& params : params_of("$/logTrace")) all += params.dump() + "\n";
  };
  notify(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", uri}, {"languageId", "python"}, {"version", 1}, {"text", "the secret text\n"}}}});
  keep();
  notify("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", 2}}},
                                    {"contentChanges", {{{"text", "a secret text\n"}}}}});
  keep();
  receive(Json{
      {"id", 3},
      {"method", "workspace/executeCommand"},
      {"params",
       {{"command", "redraft.edit"},
        {"arguments", {{{"textDocument", {{"uri", uri}}}, {"instruction", "the secret wish"}}}}}}}
              .dump());
  keep();
  sent_.clear();
  EXPECT_TRUE(run_until([&] { return !params_of("$/redraft/edit").empty(); }));
  keep();
  EXPECT_THAT(all, HasSubstr("textDocument/didChange"));
  EXPECT_THAT(all, HasSubstr("$/redraft/edit"));
  EXPECT_THAT(all, testing::Not(HasSubstr("secret")));
}

TEST(TracerTest, NamesOfAnyLengthAndUnansweredRequestsCostLittle) {
  std::vector<std::string> said;
  Tracer tracer([&](const Json& params) { said.push_back(params.at("message")); });
  tracer.set_level(TraceLevel::kMessages);
  tracer.received({{"method", std::string(1 << 20, 'x')}, {"id", std::string(1 << 20, 'y')}}, 1);
  EXPECT_LT(said.back().size(), 300U);
  for (int i = 0; i < 5000; ++i) tracer.received({{"method", "m"}, {"id", i}}, 1);
  tracer.sent({{"id", 4000}, {"result", nullptr}}, 1);
  EXPECT_EQ(said.back(), "Sent response '(4000)'.") << "it is not remembered any more";
  tracer.sent({{"id", 3}, {"result", nullptr}}, 1);
  EXPECT_EQ(said.back(), "Sent response 'm - (3)'.");
}

TEST(TracerTest, ASlowReaderIsSparedTheTrace) {
  std::vector<std::string> sent;
  bool slow = true;
  Connection connection({.send = [&](const std::string& text) { sent.push_back(text); },
                         .congested = [&] { return slow; }});
  connection.tracer().set_level(TraceLevel::kVerbose);
  connection.notify("a", nullptr);
  EXPECT_EQ(sent.size(), 1U);
  slow = false;
  connection.notify("a", nullptr);
  EXPECT_EQ(sent.size(), 3U);
}

}  // namespace
}  // namespace redraft::lsp
