// Answers by rounds of verification, with a server that has SGLang's routes: what is written is
// what the server's own stream would be, whatever happens on the way.
#include "remote/verify_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "decoding/model_failure.h"
#include "remote/remote_decoder.h"
#include "tests/remote/scripted_sglang.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using Json = nlohmann::json;

constexpr auto kReuse = static_cast<std::size_t>(DraftOrigin::kReuse);

std::vector<std::string> lines_of_code(int count) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    lines.push_back(i % 5 == 0 ? "def step" + n + "(first, second):\n"
                               : "    value" + n + " = first + second * " + n + "\n");
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

class Rounds : public ::testing::Test {
 protected:
  Rounds() { restart(true); }

  // A decoder that knows nothing yet.
  void restart(bool verifies) {
    const RemoteModelInfo model{.name = "coder",
                                .begun_turn = BegunTurn::kAskedFor,
                                .verifies = verifies,
                                .context_length = 9000};
    decoder_ = std::make_unique<RemoteDecoder>(model, vocabulary_, server_, 100,
                                               [this] { return server_->now; });
  }

  DecodeRequest request_of(const std::string& original) const {
    auto parts = *chat_prompt(*vocabulary_, {{"user", "change it:\n" + original}});
    parts.push_back({"```\n", false});
    return {.prompt = *encode_prompt(*vocabulary_, parts),
            .original = vocabulary_->encode(original),
            .max_new_tokens = 2000};
  }

  Result<DecodeResult> decode(const std::string& original, int max_tokens = 2000,
                              std::stop_token stop = {}) {
    DecodeRequest request = request_of(original);
    request.max_new_tokens = max_tokens;
    return decoder_->run(
        request, [](TokenId) { return true; }, std::move(stop));
  }

  // What the decoder writes where the server would write that.
  std::string written(const std::string& original, const std::string& answer) {
    server_->answer = answer;
    const Result<DecodeResult> result = decode(original);
    if (!result) return "error: " + result.error().message();
    EXPECT_EQ(result->finish_reason, FinishReason::kStop);
    return vocabulary_->decode(result->tokens);
  }

  int count(const std::string& path) const {
    const auto found = server_->requests.find(path);
    return found == server_->requests.end() ? 0 : found->second;
  }

  std::shared_ptr<const Tokenizer> vocabulary_ = remote_vocabulary(false);
  std::shared_ptr<ScriptedSglang> server_ = std::make_shared<ScriptedSglang>();
  std::unique_ptr<RemoteDecoder> decoder_;
  const std::string original_ = joined(lines_of_code(60));
};

std::string edited(const std::vector<std::string>& lines, std::mt19937& random) {
  std::string answer;
  for (const std::string& line : lines) {
    const auto way = random() % 24;
    if (way == 0) continue;  // deleted
    answer += way == 2 ? line.substr(0, line.size() / 2) + "renamed" + line.substr(line.size() / 2)
                       : line;
    if (way == 1) answer += "    print(\"new → code\", é)\n";
    if (way == 3) answer += line;
  }
  return answer + "```";
}

TEST_F(Rounds, WriteWhatTheStreamWouldWhateverIsEdited) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> lines = lines_of_code(60);
    if (seed % 3 == 0) lines[random() % 60] = "    # naïve → 😀😀 über\n";
    const std::string answer = edited(lines, random);
    server_ = std::make_shared<ScriptedSglang>();
    server_->round_trip = seed % 4 == 0 ? 0.3 : 0.01;
    server_->sends_what_is_new = seed % 2 == 0;
    server_->tokens_an_event = 1 + static_cast<int>(seed % 5);
    restart(true);
    EXPECT_EQ(written(joined(lines) + "```", answer), answer) << seed;
    EXPECT_GE(count("round"), 1) << seed;
    EXPECT_EQ(count("/v1/chat/completions"), 0) << seed;
    EXPECT_EQ(written(joined(lines) + "```", answer), answer) << "with what the first left";
  }
}

TEST_F(Rounds, LongReuseTakesFewRequestsAndNoSteps) {
  const std::string answer = original_ + "```";
  server_->answer = answer;
  const int tokens = static_cast<int>(server_->tokens_of(answer).size());
  DecodeRequest request = request_of(answer);
  int reports = 0;
  std::vector<std::optional<DraftOrigin>> origins;
  request.on_progress = [&](const DecodeStatistics&) { ++reports; };
  request.on_emitted = [&](const EmittedToken& token) { origins.push_back(token.origin); };
  const Result<DecodeResult> result = decoder_->run(request, [](TokenId) { return true; }, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(vocabulary_->decode(result->tokens), answer);
  EXPECT_THAT(server_->drafts, ElementsAre(32, 64, 128, 256, ::testing::_, ::testing::_));
  EXPECT_THAT(server_->drafts, Each(Le(256)));
  EXPECT_LE(server_->streamed, 1) << "of " << tokens;
  EXPECT_LT(server_->now, tokens * server_->step / 10);
  const DecodeStatistics& statistics = result->statistics;
  EXPECT_EQ(statistics.accepted_by_origin[kReuse] + statistics.bonus_tokens, statistics.new_tokens);
  EXPECT_GT(statistics.accepted_by_origin[kReuse], tokens - 10);
  EXPECT_EQ(statistics.drafted_passes, count("round"));
  EXPECT_EQ(statistics.cached_prompt_tokens, 5);
  EXPECT_EQ(reports, statistics.passes);
  EXPECT_EQ(origins.front(), DraftOrigin::kReuse);
}

TEST_F(Rounds, GoOnBehindAnInsertion) {
  std::vector<std::string> lines = lines_of_code(60);
  lines[30] += "    check(first, \"second\")\n    return\n";
  const std::string answer = joined(lines);
  EXPECT_EQ(written(original_, answer), answer);
  const int inserted =
      static_cast<int>(server_->tokens_of("    check(first, \"second\")\n    return\n").size());
  EXPECT_LE(server_->streamed, inserted + 8 + 2) << "and the end";
  EXPECT_GE(server_->streamed, inserted);
  EXPECT_EQ(count("/generate"), 1) << "a round knows the end";
}

TEST_F(Rounds, OnlyTheLikeliestIsTaken) {
  // Every word of the original is a wrong guess somewhere: a rule that takes more is seen.
  for (std::size_t line = 0; line < 20; ++line) {
    std::vector<std::string> lines = lines_of_code(20);
    lines[line].insert(lines[line].size() - 2, "_x");
    const std::string answer = joined(lines);
    EXPECT_EQ(written(joined(lines_of_code(20)), answer), answer) << line;
  }
}

TEST_F(Rounds, EndAtTheLimit) {
  server_->answer = original_;
  const std::vector<int> tokens = server_->tokens_of(original_);
  for (const int limit : {1, 31, 32, 33, 34, 97, 200}) {
    const Result<DecodeResult> result = decode(original_, limit);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->finish_reason, FinishReason::kLength);
    EXPECT_EQ(result->statistics.new_tokens, limit);
    EXPECT_EQ(server_->tokens_of(vocabulary_->decode(result->tokens)),
              std::vector<int>(tokens.begin(), tokens.begin() + limit));
  }
}

TEST_F(Rounds, EndWhereNothingMoreIsWanted) {
  server_->answer = original_;
  DecodeRequest request = request_of(original_);
  int taken = 0;
  const Result<DecodeResult> result =
      decoder_->run(request, [&](TokenId) { return ++taken < 100; }, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->finish_reason, FinishReason::kSink);
  EXPECT_EQ(vocabulary_->decode(result->tokens), original_.substr(0, 100));
}

TEST_F(Rounds, ShortOriginalsAndOtherServersAreStreamed) {
  EXPECT_EQ(written("a = 1\n", "a = 2\n"), "a = 2\n");
  restart(false);
  EXPECT_EQ(written(original_, original_), original_);
  EXPECT_EQ(server_->requests.size(), 1U);
  EXPECT_EQ(count("/v1/chat/completions"), 2);
}

TEST_F(Rounds, AServerWithoutTheRoutesIsStreamedAndNotAskedAgain) {
  server_->fault = [](const std::string& path, const Json&) -> std::optional<ExchangeEnd> {
    if (path == "/v1/chat/completions") return {};
    return ExchangeEnd{.status = 404, .refusal = "Not Found"};
  };
  EXPECT_EQ(written(original_, original_), original_);
  EXPECT_EQ(written(original_, original_), original_);
  EXPECT_EQ(count("/tokenize"), 1);
  EXPECT_EQ(count("/v1/chat/completions"), 2);
}

TEST_F(Rounds, ControlTokensThatATextSpellsAreNoDraft) {
  const std::string original = original_ + "end = \"<|im_end|>\"\n";
  EXPECT_EQ(written(original, original_), original_);
  EXPECT_EQ(count("round"), 0);
  EXPECT_EQ(count("/v1/chat/completions"), 1);
}

TEST_F(Rounds, ARefusedRoundIsStreamedFromTheSamePlace) {
  for (const int nth : {1, 3}) {
    server_ = std::make_shared<ScriptedSglang>();
    restart(true);
    server_->fault = [&, rounds = 0](const std::string& path,
                                     const Json&) mutable -> std::optional<ExchangeEnd> {
      if (path != "round" || ++rounds < nth) return {};
      return ExchangeEnd{.status = 400, .refusal = "no log probabilities"};
    };
    EXPECT_EQ(written(original_, original_), original_);
    EXPECT_EQ(count("round"), nth);
    EXPECT_EQ(count("/generate"), 1);
  }
}

// What is not what was asked for.
void spoil(int way, Json& answer) {
  Json& meta = answer["meta_info"];
  Json& tops = meta["input_top_logprobs"];
  switch (way) {
    case 0:
      answer = Json::array();
      break;
    case 1:
      answer.erase("meta_info");
      break;
    case 2:
      meta.erase("input_top_logprobs");
      break;
    case 3:
      tops.erase(1);
      break;
    case 4:
      tops.push_back(tops.back());
      break;
    case 5:
      tops[1] = nullptr;
      break;
    case 6:
      tops[1][0][1] = "x";
      break;
    case 7:
      tops[1][0][1] = -1;
      break;
    case 8:
      tops[1][0][1] = std::int64_t{1} << 40;
      break;
    case 9:
      tops[1] = Json::array();
      break;
    case 10:
      meta["input_token_logprobs"][1][1] = 9;
      break;
    case 11:
      meta["input_token_logprobs"].erase(1);
      break;
    case 12:
      answer["output_ids"] = Json::array();
      break;
    case 13:
      answer["output_ids"] = {1, 2};
      break;
    case 14:
      meta["finish_reason"] = {{"type", "abort"}, {"message", "no room"}};
      break;
    case 15:
      answer = {{"error", {{"message", "out of memory"}}}};
      break;
    default:
      meta["finish_reason"] = "stop";
      break;
  }
}
constexpr int kWays = 17;

TEST_F(Rounds, WhatIsNotAsAskedForIsStreamedInstead) {
  for (int way = 0; way < kWays; ++way) {
    for (const int nth : {1, 2}) {
      server_ = std::make_shared<ScriptedSglang>();
      restart(true);
      server_->mangle = [&, rounds = 0](const std::string& path, Json& answer) mutable {
        if (path == "round" && ++rounds == nth) spoil(way, answer);
      };
      EXPECT_EQ(written(original_, original_), original_) << way << " " << nth;
      EXPECT_EQ(count("round"), nth) << way;
      EXPECT_EQ(count("/generate"), 1) << way;
    }
  }
}

TEST_F(Rounds, AStreamThatIsNoneIsGoneOnWithAsAChat) {
  const std::string answer = "new = [1, 2, 3]\n" + original_ + "more = new\n";
  const std::vector<std::function<void(Json&)>> ways = {
      [](Json& event) { event.erase("output_ids"); },
      [](Json& event) { event["output_ids"] = {-1}; },
      [](Json& event) { event["output_ids"].push_back(7); },
      [](Json& event) { event["text"] = event["text"].get<std::string>().substr(1); },
      [](Json& event) { event["text"] = nullptr; },
      [](Json& event) { event["meta_info"]["completion_tokens"] = 0; },
      [](Json& event) {
        event["meta_info"]["finish_reason"] = {{"type", "abort"}};
      },
      [](Json& event) {
        event = {{"error", {{"message", "no room"}}}};
      },
      [](Json& event) { event = 3; }};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    for (const int nth : {1, 2, 4}) {
      if (way == 3 && nth == 1) continue;  // the server's word
      server_ = std::make_shared<ScriptedSglang>();
      restart(true);
      server_->mangle = [&, events = 0](const std::string& path, Json& event) mutable {
        if (path == "/generate" && ++events == nth) ways[way](event);
      };
      EXPECT_EQ(written(original_, answer), answer) << way << " " << nth;
    }
  }
}

TEST_F(Rounds, WrongTokensOfATextAreNoDraft) {
  const std::vector<std::function<void(const std::string&, Json&)>> ways = {
      [](const std::string& path, Json& answer) {
        if (path == "/tokenize") answer["tokens"] = {1, -5};
      },
      [](const std::string& path, Json& answer) {
        if (path == "/tokenize") answer = "x";
      },
      [](const std::string& path, Json& answer) {
        if (path == "/detokenize") answer["text"].erase(0);
      },
      [](const std::string& path, Json& answer) {
        if (path == "/detokenize") answer["text"][4] = "other";
      },
      [](const std::string& path, Json& answer) {
        if (path == "/detokenize") answer["text"][4] = 4;
      }};
  for (const auto& way : ways) {
    server_ = std::make_shared<ScriptedSglang>();
    restart(true);
    server_->mangle = way;
    EXPECT_EQ(written(original_, original_), original_);
    EXPECT_EQ(count("round"), 0);
  }
}

TEST_F(Rounds, AreGivenUpWhereTwoGaveNothing) {
  // The server's rounds say otherwise than its streams.
  server_->mangle = [](const std::string& path, Json& answer) {
    if (path == "round") answer["meta_info"]["input_top_logprobs"][1][0][1] = 999;
  };
  EXPECT_EQ(written(original_, original_), original_);
  EXPECT_EQ(count("round"), 2);
  EXPECT_EQ(count("/generate"), 2);
}

TEST_F(Rounds, CeaseWhereTheWayIsLong) {
  server_->step = 0.001;
  server_->round_trip = 5;
  EXPECT_EQ(written(original_, "x = 1\n" + original_), "x = 1\n" + original_);
  const int before = count("round");
  EXPECT_LE(before, 2);
  EXPECT_EQ(written(original_, original_), original_);
  EXPECT_EQ(count("round"), before);
  EXPECT_EQ(count("/tokenize"), 2) << "it is not worth asking";
}

TEST_F(Rounds, ABusyServerIsAskedAgain) {
  server_->fault = [n = 0](const std::string&, const Json&) mutable -> std::optional<ExchangeEnd> {
    if (++n % 2 == 0) return {};
    return ExchangeEnd{.status = n % 4 == 1 ? 503 : 429, .retry_after = std::chrono::seconds(0)};
  };
  const std::string answer = "new = 1\n" + original_;
  EXPECT_EQ(written(original_, answer), answer);
  EXPECT_EQ(count("/v1/chat/completions"), 0);
}

TEST_F(Rounds, AServerThatStaysBusyIsAnError) {
  for (const int seconds : {9, 0}) {  // at once is no reason to ask for ever
    server_->fault = [n = 0, seconds](const std::string&,
                                      const Json&) mutable -> std::optional<ExchangeEnd> {
      if (++n < 5) return {};
      return ExchangeEnd{
          .status = 503, .refusal = "full", .retry_after = std::chrono::seconds(seconds)};
    };
    EXPECT_THAT(written(original_, original_), HasSubstr("refused (503): full"));
  }
}

TEST_F(Rounds, EndWithinARoundOrAStreamWhenCancelled) {
  for (const char* where : {"/tokenize", "/detokenize", "round", "/generate"}) {
    std::stop_source stop;
    server_ = std::make_shared<ScriptedSglang>();
    restart(true);
    server_->answer = "new = 1\n" + original_;
    server_->fault = [&](const std::string& path, const Json&) -> std::optional<ExchangeEnd> {
      if (path == where) stop.request_stop();
      return {};
    };
    const Result<DecodeResult> result = decode(original_, 2000, stop.get_token());
    ASSERT_TRUE(result) << where;
    EXPECT_EQ(result->finish_reason, FinishReason::kCancelled) << where;
  }
  std::stop_source stop;
  server_->fault = {};
  restart(true);
  server_->before_token = [&, n = 0]() mutable {
    if (++n == 3) stop.request_stop();
  };
  const Result<DecodeResult> result = decode(original_, 2000, stop.get_token());
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(vocabulary_->decode(result->tokens), "new ");
}

class BrokenExchange final : public Exchange {
 public:
  BrokenExchange(std::shared_ptr<ScriptedSglang> server, int good)
      : server_(std::move(server)), good_(good) {}
  Result<ExchangeEnd> run(const ExchangeRequest& request, const OnData& on_data,
                          const std::stop_token& stop) override {
    if (good_-- <= 0) return Error("reset");
    return server_->run(request, on_data, stop);
  }

 private:
  std::shared_ptr<ScriptedSglang> server_;
  int good_;
};

TEST_F(Rounds, WithoutAConnectionTheEngineIsGivenUpUnlessItHasBegun) {
  server_->answer = original_;
  const RemoteModelInfo model{
      .name = "coder", .begun_turn = BegunTurn::kAskedFor, .verifies = true};
  for (const int good : {0, 1, 3}) {
    decoder_ = std::make_unique<RemoteDecoder>(
        model, vocabulary_, std::make_shared<BrokenExchange>(server_, good), 100);
    EXPECT_THROW((void)decode(original_), ModelFailure) << good;
  }
  decoder_ = std::make_unique<RemoteDecoder>(model, vocabulary_,
                                             std::make_shared<BrokenExchange>(server_, 4), 100);
  const Result<DecodeResult> result = decode(original_);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("broke off its answer: reset"));
}

TEST_F(Rounds, AServerThatDoesNotStopIsStopped) {
  server_->answer = joined(lines_of_code(3000));
  const Result<DecodeResult> much = decode(original_, 700);
  ASSERT_TRUE(much);
  EXPECT_EQ(much->finish_reason, FinishReason::kLength);
  EXPECT_EQ(much->statistics.new_tokens, 700);
  server_->answer = "new = 1\n";
  server_->mangle = [](const std::string& path, Json& event) {
    if (path == "/generate") event["text"] = std::string(200000, 'x');
  };
  const Result<DecodeResult> flood = decode(original_, 700);
  ASSERT_FALSE(flood);
  EXPECT_THAT(flood.error().message(), HasSubstr("does not stop"));
}

TEST_F(Rounds, BothWaysAreGreedyWithoutPenalties) {
  EXPECT_EQ(written(original_, "new = 1\n" + original_), "new = 1\n" + original_);
  for (const Json& body : server_->bodies) {
    if (!body.contains("sampling_params")) continue;
    EXPECT_EQ(body["sampling_params"]["temperature"], 0);
    EXPECT_EQ(body["sampling_params"]["repetition_penalty"], 1);
  }
  server_->fault = [](const std::string& path, const Json&) -> std::optional<ExchangeEnd> {
    return path == "/tokenize" ? std::optional(ExchangeEnd{.status = 404}) : std::nullopt;
  };
  EXPECT_EQ(written(original_, original_), original_);
  EXPECT_EQ(server_->bodies.back()["repetition_penalty"], 1);
}

}  // namespace
}  // namespace redraft
