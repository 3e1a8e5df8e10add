// Edits by an engine whose target is on a server, with a server that says what the test wants.
#include "remote/remote_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "decoding/model_failure.h"
#include "text/prompt_encoder.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

struct Reply {
  int status = 200;
  std::string body = {};  // in pieces of `piece` bytes
  std::size_t piece = 1000;
  std::optional<Error> broken = {};       // after the body
  std::function<void()> before_end = {};  // once the body was taken
};

std::string event(const std::string& text) {
  return "data: " + Json{{"choices", {{{"delta", {{"content", text}}}}}}}.dump() + "\n\n";
}

// The text in as many events as it has lines, and the usage.
Reply answer_of(const std::string& text, std::size_t piece = 1000) {
  Reply reply{.body = {}, .piece = piece};
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    reply.body += event(text.substr(begin, end - begin));
    begin = end;
  }
  reply.body += R"(data: {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":7}})"
                "\n\ndata: [DONE]\n\n";
  return reply;
}

class ScriptedExchange final : public Exchange {
 public:
  explicit ScriptedExchange(std::string owner) : owner_(std::move(owner)) {}

  Result<ExchangeEnd> run(const ExchangeRequest& request, const OnData& on_data,
                          const std::stop_token& /*stop*/) override {
    if (request.method == "GET") {
      on_data(Json{{"data", {{{"id", "coder"}, {"owned_by", owner_}, {"max_model_len", 9000}}}}}
                  .dump());
      return ExchangeEnd{.status = 200};
    }
    requests.push_back(Json::parse(request.body));
    if (replies.empty()) return Error("nothing listens there");
    const Reply reply = std::move(replies.front());
    replies.pop_front();
    if (reply.status != 200)
      return ExchangeEnd{
          .status = reply.status, .refusal = reply.body, .retry_after = std::chrono::seconds(0)};
    for (std::size_t at = 0; at < reply.body.size(); at += reply.piece) {
      if (!on_data(std::string_view(reply.body).substr(at, reply.piece)))
        return ExchangeEnd{.status = 200, .closed_by_us = true};
    }
    if (reply.before_end) reply.before_end();
    if (reply.broken) return *reply.broken;
    return ExchangeEnd{.status = 200};
  }

  std::deque<Reply> replies;
  std::vector<Json> requests;

 private:
  std::string owner_;
};

class RemoteEngine : public ::testing::Test {
 protected:
  // An engine of a server of that kind which replies so.
  void serve(const std::string& owner, std::vector<Reply> replies) {
    server_ = std::make_shared<ScriptedExchange>(owner);
    server_->replies.assign(replies.begin(), replies.end());
    auto engine =
        make_remote_engine({.server = "http://gpu", .model = "", .patience_ms = 100}, server_, {});
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
  }

  Result<EditResult> edit(const EditObserver& observer = {}, std::stop_token stop = {}) {
    EditRequest request;
    request.document = *Document::make("file:///a.py", 1, kBefore, "python");
    request.instruction = "name it";
    request.decoder = *parse_decoder_name("redraft");
    return run_edit(*engine_, request, observer, std::move(stop));
  }

  static constexpr const char* kBefore = "def f(a):\n    return a\n";
  static constexpr const char* kAfter = "def f(a):\n    return a + 1\n";
  std::shared_ptr<ScriptedExchange> server_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(RemoteEngine, EditsAsTheServerWrites) {
  for (const char* owner : {"vllm", "llamacpp", "somebody"}) {
    const bool goes_on = owner != std::string("somebody");
    for (const std::size_t piece : {1, 17, 1000}) {
      serve(owner, {answer_of((goes_on ? "" : "Sure:\n```python\n") + std::string(kAfter) + "```\n",
                              piece)});
      const Result<EditResult> result = edit();
      ASSERT_TRUE(result) << result.error().message();
      EXPECT_EQ(result->text, kAfter) << owner;
      EXPECT_EQ(result->finish_reason, FinishReason::kStop);
      ASSERT_EQ(server_->requests.size(), 1U);
      const Json& messages = server_->requests[0]["messages"];
      EXPECT_EQ(messages.back()["role"], goes_on ? "assistant" : "user");
      EXPECT_THAT(messages.dump(), HasSubstr("name it"));
    }
  }
}

TEST_F(RemoteEngine, CountsTheServersTokens) {
  serve("vllm", {answer_of(std::string(kAfter))});  // the turn ends without a fence
  const Result<EditResult> result = edit();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, kAfter);
  EXPECT_EQ(result->statistics.prompt_tokens, 50);
  EXPECT_EQ(result->statistics.new_tokens, 7);
}

TEST_F(RemoteEngine, NothingIsReadAfterTheClosingFence) {
  Reply reply = answer_of(std::string(kAfter) + "```\nAnd now a poem\n", 1);
  bool read_on = false;
  reply.before_end = [&] { read_on = true; };
  serve("vllm", {reply});
  EXPECT_EQ(edit()->text, kAfter);
  EXPECT_FALSE(read_on) << "the connection is closed";
}

TEST_F(RemoteEngine, NoMoreIsTakenThanWasAskedFor) {
  serve("vllm", {answer_of("one\ntwo\nthree\nfour\n")});
  const DecodeRequest request{.prompt = *encode_prompt(engine_->tokenizer(), {{"count", false}}),
                              .max_new_tokens = 2};
  const Result<DecodeResult> result = engine_->decode(
      Purpose::kEdit, *parse_decoder_name("redraft"), request, [](TokenId) { return true; }, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(engine_->tokenizer().decode(result->tokens), "one\ntwo\n");
  EXPECT_EQ(result->finish_reason, FinishReason::kLength);
}

TEST_F(RemoteEngine, AServerThatIsBusyIsAskedAgain) {
  serve("vllm", {{.status = 429, .body = "busy"},
                 {.status = 503, .body = ""},
                 answer_of(std::string(kAfter) + "```")});
  EXPECT_EQ(edit()->text, kAfter);
  EXPECT_EQ(server_->requests.size(), 3U);
}

TEST_F(RemoteEngine, ARefusalIsSaidInItsWords) {
  serve("vllm", {{.status = 400, .body = R"({"error":{"message":"too long"}})"}});
  const Result<EditResult> result = edit();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("refused (400): too long"));
  EXPECT_EQ(server_->requests.size(), 1U);
}

TEST_F(RemoteEngine, AnAnswerThatBreaksOffIsAnErrorAndNotAskedForAgain) {
  Reply reply{.body = event("def f(a):\n"), .broken = Error("reset")};
  serve("vllm", {reply, answer_of(kAfter)});
  const Result<EditResult> result = edit();
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("broke off its answer: reset"));
  EXPECT_EQ(server_->requests.size(), 1U);
}

TEST_F(RemoteEngine, AnAnswerIsCompleteWhenTheServerSaysSo) {
  const std::string text = event(kAfter);
  serve("vllm", {{.body = text}});
  EXPECT_THAT(edit().error().message(), HasSubstr("broke off its answer"));
  const std::string last = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
  serve("vllm", {{.body = text + last}});
  EXPECT_EQ(edit()->text, kAfter);
}

TEST_F(RemoteEngine, AnErrorInTheStreamIsSaid) {
  serve("vllm", {{.body = event("def") + "data: {\"error\":{\"message\":\"out of memory\"}}\n\n"}});
  EXPECT_THAT(edit().error().message(), HasSubstr("out of memory"));
}

TEST_F(RemoteEngine, WithoutAConnectionTheEngineIsGivenUp) {
  serve("vllm", {});
  EXPECT_THROW((void)edit(), ModelFailure);
}

TEST_F(RemoteEngine, AnEmptyAnswerIsAnError) {
  serve("vllm", {{.body = ""}});
  EXPECT_THAT(edit().error().message(), HasSubstr("empty"));
}

TEST_F(RemoteEngine, ACancelledEditEnds) {
  std::stop_source stop;
  Reply reply{.body = event("def f(a):\n"), .before_end = [&] { stop.request_stop(); }};
  serve("vllm", {reply});
  const Result<EditResult> result = edit({}, stop.get_token());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
}

TEST_F(RemoteEngine, HunksComeWhileItWrites) {
  const std::string tail = "\n\n\ndef g():\n    pass\n";
  Reply reply = answer_of(std::string(kAfter) + tail);
  int hunks = 0, hunks_before_end = 0;
  reply.before_end = [&] { hunks_before_end = hunks; };
  serve("vllm", {reply});
  EditRequest request;
  request.document = *Document::make("file:///a.py", 1, kBefore + tail, "python");
  request.instruction = "name it";
  request.scope = EditScope::kFile;
  request.decoder = *parse_decoder_name("redraft");
  EditObserver observer;
  observer.on_hunk = [&](const Hunk&) { ++hunks; };
  const Result<EditResult> result = run_edit(*engine_, request, observer, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->text, kAfter + tail);
  EXPECT_EQ(hunks, 1);
}

TEST_F(RemoteEngine, AnotherTryIsNotToBeHad) {
  serve("vllm", {answer_of(std::string(kAfter) + "```")});
  EditRequest request;
  request.document = *Document::make("file:///a.py", 1, kBefore, "python");
  request.instruction = "name it";
  request.decoder = *parse_decoder_name("redraft");
  request.retry_index = 1;
  const Result<EditResult> result = run_edit(*engine_, request, {}, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("no other tries"));
}

TEST_F(RemoteEngine, NothingIsReadAhead) {
  serve("vllm", {});
  const std::vector<TokenId> prompt = *encode_prompt(engine_->tokenizer(), {{"hello", false}});
  EXPECT_EQ(engine_->known_tokens(prompt, {}), 5);
  EXPECT_TRUE(engine_->read_ahead(prompt, 5, [](int) {}, {}));
  EXPECT_TRUE(server_->requests.empty());
}

TEST_F(RemoteEngine, SaysWhatTheServerDoes) {
  serve("vllm", {});
  EXPECT_EQ(engine_->device(), Device::server("http://gpu"));
  EXPECT_EQ(engine_->draft_name(), "");
  EXPECT_EQ(engine_->tokens_per_subword(), 3) << "tokens are bytes";
  EXPECT_FALSE(engine_->reports_probabilities());
  EXPECT_FALSE(engine_->reads_indexes());
  EXPECT_EQ(engine_->own_decoder(),
            (OwnDecoder{.name = "remote",
                        .reason = "The server at http://gpu writes the text; redraft does not "
                                  "compare it with plain decoding."}));
}

TEST_F(RemoteEngine, KnowsNoPredictions) {
  serve("vllm", {});
  const std::vector<TokenId> prompt = *encode_prompt(engine_->tokenizer(), {{"hello", false}});
  EXPECT_TRUE(engine_->likeliest(prompt, 3).empty());
  const auto alternatives = engine_->alternatives(prompt, prompt, {}, {});
  ASSERT_TRUE(alternatives);
  ASSERT_EQ(alternatives->size(), prompt.size());
  for (const Engine::Alternative& each : *alternatives) EXPECT_GT(each.margin, 1e30F);
  EXPECT_TRUE(server_->requests.empty());
}

TEST_F(RemoteEngine, HasNothingToDoInIdleMoments) {
  serve("vllm", {answer_of(std::string(kAfter) + "```")});
  ASSERT_TRUE(edit());
  EXPECT_FALSE(engine_->ask_for_cost());
  EXPECT_TRUE(engine_->take_read_prompts().empty());
  EXPECT_EQ(engine_->take_read_ahead_work().tokens, 0);
  EXPECT_TRUE(engine_->is_current());
}

}  // namespace
}  // namespace redraft
