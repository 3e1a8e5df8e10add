#include "workspace/engine/model_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "decoding/model_powers.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/hang_limit.h"
#include "tests/kit/scripted_model.h"
#include "text/byte_alphabet.h"
#include "workspace/engine/check_text.h"
#include "workspace/engine/engine_host.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> sorted_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::ranges::sort(lines);
  return lines;
}

// Predicts the byte of `text` that has the number of the tokens before it, again and again.
std::unique_ptr<ScriptedModel> reciting(const std::string& text, int context_length = 1 << 14) {
  return std::make_unique<ScriptedModel>(byte_tokenizer()->vocabulary_size(), context_length,
                                         [text](std::span<const TokenId> sequence) {
                                           return static_cast<TokenId>(static_cast<unsigned char>(
                                               text[sequence.size() % text.size()]));
                                         });
}

std::optional<PredictionCheck> predictions_of(LanguageModel& model) {
  return check_predictions(model, *byte_tokenizer(), {}, {});
}

// A token for each byte.
TokenizerSpec spec_of_bytes() {
  TokenizerSpec spec;
  spec.pre_tokenizer = "qwen2";
  for (int byte = 0; byte < 256; ++byte)
    spec.tokens.push_back(to_byte_alphabet(std::string(1, static_cast<char>(byte))));
  spec.types.assign(256, 1);
  return spec;
}

std::shared_ptr<const Tokenizer> tokenizer_of(TokenizerSpec spec) {
  auto tokenizer = Tokenizer::make(std::move(spec));
  if (!tokenizer) throw std::logic_error(tokenizer.error().message());
  return *tokenizer;
}

TEST(CheckText, ShufflingKeepsTheLinesAndChangesTheirOrder) {
  const std::string code(check_code());
  const std::string shuffled = with_shuffled_lines(code);
  EXPECT_NE(shuffled, code);
  EXPECT_EQ(sorted_lines(shuffled), sorted_lines(code));
  EXPECT_EQ(with_shuffled_lines(code), shuffled) << "the order is always the same";
  EXPECT_EQ(with_shuffled_lines(""), "");
  EXPECT_EQ(with_shuffled_lines("one line"), "one line");
}

TEST(ModelCheck, ATokenizerForAllBytesGivesEveryTextBack) {
  const TokenizerCheck check = check_tokenizer(*byte_tokenizer());
  EXPECT_EQ(check.texts, static_cast<int>(round_trip_texts().size()));
  EXPECT_EQ(check.not_covered, 0);
  EXPECT_THAT(check.faults, IsEmpty());
}

TEST(ModelCheck, BytesThatTheVocabularyLacksAreNoFault) {
  TokenizerSpec spec = spec_of_bytes();
  spec.types[0x04] = 5;  // unused
  const TokenizerCheck check = check_tokenizer(*tokenizer_of(std::move(spec)));
  EXPECT_EQ(check.not_covered, 1) << "one text has every byte";
  EXPECT_THAT(check.faults, IsEmpty());
}

TEST(ModelCheck, TheChatFormatIsNamedWithTheIdsOfItsTokens) {
  const ChatCheck check = check_chat(*byte_tokenizer());
  EXPECT_EQ(check.format, "ChatML");
  EXPECT_EQ(check.prompt, "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_THAT(check.control,
              ElementsAre(std::pair<std::string, TokenId>(
                              "<|im_start|>", byte_tokenizer()->special("<|im_start|>")),
                          std::pair<std::string, TokenId>(
                              "<|im_end|>", byte_tokenizer()->special("<|im_end|>"))));
  EXPECT_TRUE(check.is_complete());
}

TEST(ModelCheck, AControlTokenThatTheVocabularyLacksIsReported) {
  TokenizerSpec spec = spec_of_bytes();
  spec.tokens.emplace_back("<|im_start|>");
  spec.types.push_back(3);
  spec.chat_template = "{{ '<|im_start|>' }} {{ '<|im_end|>' }}";
  const ChatCheck check = check_chat(*tokenizer_of(std::move(spec)));
  EXPECT_THAT(check.control, ElementsAre(std::pair<std::string, TokenId>("<|im_start|>", 256),
                                         std::pair<std::string, TokenId>("<|im_end|>", -1)));
  EXPECT_FALSE(check.is_complete());
}

TEST(ModelCheck, AModelWithoutAChatFormatSaysWhy) {
  const ChatCheck check = check_chat(*tokenizer_of(spec_of_bytes()));
  EXPECT_THAT(check.why_none, HasSubstr("no chat template"));
  EXPECT_EQ(check.format, "");
}

// ScriptedModel gives its own next token a probability of 0.9.
TEST(ModelCheck, AModelThatKnowsTheCodeIsPlausible) {
  const auto model = reciting(std::string(check_code()));
  const std::optional<PredictionCheck> found = predictions_of(*model);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tokens, static_cast<int>(check_code().size()));
  EXPECT_NEAR(found->code, 1 / 0.9, 1e-4);
  EXPECT_GT(found->shuffled, 100);
  EXPECT_THAT(faults_of({.predictions = *found}), IsEmpty());
}

TEST(ModelCheck, AModelThatPredictsAnotherTextIsNot) {
  const auto model = reciting(with_shuffled_lines(check_code()));
  const std::optional<PredictionCheck> found = predictions_of(*model);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->shuffled, 1 / 0.9, 1e-4);
  EXPECT_THAT(faults_of({.predictions = *found}),
              ElementsAre(HasSubstr("does not predict ordinary code"),
                          HasSubstr("no better than the same lines in random order")));
}

// With its first trial it recites the code; as its files state and with the second one, the
// shuffled lines.
class MisreadModel final : public ScriptedModel, private SettingTrying {
 public:
  MisreadModel()
      : ScriptedModel(byte_tokenizer()->vocabulary_size(), 1 << 14,
                      [this](std::span<const TokenId> sequence) {
                        const std::string_view text = tried_ == 0 ? code_ : shuffled_;
                        return static_cast<TokenId>(
                            static_cast<unsigned char>(text[sequence.size() % text.size()]));
                      }) {}
  SettingTrying* setting_trying() override { return this; }
  bool is_as_stated() const { return !tried_; }

 private:
  std::vector<std::string> trials() const override { return {"another base", "no sinks"}; }
  void try_setting(std::optional<std::size_t> trial) override { tried_ = trial; }

  std::optional<std::size_t> tried_;
  std::string code_ = std::string(check_code()), shuffled_ = with_shuffled_lines(check_code());
};

TEST(ModelCheck, ASettingThatPredictsTheCodeBetterIsAFault) {
  MisreadModel model;
  const std::optional<SettingCheck> found = check_settings(model, *byte_tokenizer(), {}, {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(model.is_as_stated());
  EXPECT_EQ(found->tokens, SettingTrying::kTokens);
  ASSERT_THAT(found->others, SizeIs(2));
  EXPECT_NEAR(found->others[0].second, 1 / 0.9, 1e-4);
  EXPECT_EQ(found->others[1].second, found->as_stated);
  EXPECT_THAT(
      faults_of({.predictions = {.code = 1, .shuffled = 2}, .settings = *found}),
      ElementsAre(HasSubstr("predicts the code better with another base: perplexity 1.11")));
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(check_settings(model, *byte_tokenizer(), {}, stopped.get_token()));
  EXPECT_TRUE(model.is_as_stated());
}

TEST(ModelCheck, ASettingThatIsALittleBetterOrPredictsNothingIsNone) {
  const auto faults = [](double as_stated, double other) {
    return faults_of({.predictions = {.code = 1, .shuffled = 2},
                      .settings = {.tokens = 9, .as_stated = as_stated, .others = {{"x", other}}}});
  };
  EXPECT_THAT(faults(5.29, 5), IsEmpty());
  EXPECT_THAT(faults(5.31, 5), SizeIs(1));
  EXPECT_THAT(faults(5, 5.31), IsEmpty());
  EXPECT_THAT(faults(400, 300), IsEmpty());
}

TEST(ModelCheck, AModelWithOneSettingIsNotTried) {
  const auto model = reciting(std::string(check_code()));
  const std::optional<SettingCheck> found = check_settings(*model, *byte_tokenizer(), {}, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tokens, 0);
  EXPECT_THAT(faults_of({.predictions = {.code = 1, .shuffled = 2}, .settings = *found}),
              IsEmpty());
}

TEST(ModelCheck, ALimitIsPlausibleAndMoreIsNot) {
  const auto faults = [](double code, double shuffled) {
    return faults_of({.predictions = {.code = code, .shuffled = shuffled}});
  };
  EXPECT_THAT(faults(kMaxPlausiblePerplexity, 100), IsEmpty());
  EXPECT_THAT(faults(kMaxPlausiblePerplexity + 0.1, 100), SizeIs(1));
  EXPECT_THAT(faults(3, 3.1), IsEmpty());
  EXPECT_THAT(faults(3, 3), SizeIs(1));
  EXPECT_THAT(faults(INFINITY, INFINITY), SizeIs(2)) << "its logits are no numbers";
}

TEST(ModelCheck, ATextThatIsLongerThanTheContextIsCut) {
  const auto model = reciting(std::string(check_code()), 512);
  const std::optional<PredictionCheck> found = predictions_of(*model);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tokens, 512);
  EXPECT_NEAR(found->code, 1 / 0.9, 1e-4);
  EXPECT_GT(rows_per_second(*model, 8), 0);
}

TEST(ModelCheck, EndsWithinAPassWhenItIsStopped) {
  const auto model = reciting(std::string(check_code()));
  std::stop_source source;
  int passes = 0;
  const auto stop = [&](double fraction) {
    EXPECT_LT(fraction, 0.5);
    ++passes;
    source.request_stop();
  };
  EXPECT_FALSE(check_predictions(*model, *byte_tokenizer(), stop, source.get_token()));
  EXPECT_EQ(passes, 1);
}

// A model whose prediction depends on whether other rows are in the pass, as it must not.
class WidthDependent final : public ScriptedModel {
 public:
  explicit WidthDependent(const ScriptedModel& model) : ScriptedModel(model) {}
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    Predictions predictions = ScriptedModel::forward(context, draft, cache, needs);
    if (!draft.empty()) predictions.argmax.back() = 'x';
    return predictions;
  }
};

std::unique_ptr<LocalEngine> engine_of(std::unique_ptr<LanguageModel> model) {
  LocalEngine::Model target{"t", std::move(model), byte_tokenizer()};
  target.find_cost = [](LanguageModel&) { return CostCurve({{1, 0.010}, {11, 0.020}}); };
  return *LocalEngine::make(std::move(target), {});
}

TEST(ModelCheck, DraftsThatChangeNothingAreComparedTokenByToken) {
  const auto engine = engine_of(reciting(std::string(check_code())));
  const Result<DraftCheck> drafts = check_drafts(*engine, DecoderName(), {});
  ASSERT_TRUE(drafts) << drafts.error().message();
  EXPECT_EQ(drafts->tokens, 96);
  EXPECT_LT(drafts->passes, drafts->tokens) << "nothing was drafted";
  EXPECT_FALSE(drafts->first_difference);
}

TEST(ModelCheck, DraftsThatChangeTheTextAreAFault) {
  const auto engine =
      engine_of(std::make_unique<WidthDependent>(*reciting(std::string(check_code()))));
  const Result<DraftCheck> drafts = check_drafts(*engine, DecoderName(), {});
  ASSERT_TRUE(drafts) << drafts.error().message();
  ASSERT_TRUE(drafts->first_difference);
  EXPECT_LT(*drafts->first_difference, 96);
  EXPECT_THAT(faults_of({.predictions = {.code = 2, .shuffled = 9}, .drafts = *drafts}),
              ElementsAre(HasSubstr("Drafts changed what the model writes, from token " +
                                    std::to_string(*drafts->first_difference))));
}

TEST(ModelCheck, AQuickOneReadsTheBeginningOnly) {
  const auto model = reciting(std::string(check_code()));
  int asked = 0;
  const auto verdict = check_quickly(*model, *byte_tokenizer(), [&] { return ++asked > 0; });
  ASSERT_TRUE(verdict);
  EXPECT_NEAR(verdict->perplexity, 1 / 0.9, 1e-4);
  EXPECT_EQ(verdict->fault, "");
  EXPECT_GE(asked, 2);
  const auto cut = reciting(std::string(check_code()).substr(0, kQuickTokens));
  EXPECT_NEAR(check_quickly(*cut, *byte_tokenizer(), [] { return true; })->perplexity, 1 / 0.9,
              1e-4);
}

TEST(ModelCheck, AQuickOneEndsWhenItMust) {
  const auto model = reciting(std::string(check_code()));
  int asked = 0;
  EXPECT_FALSE(check_quickly(*model, *byte_tokenizer(), [&] { return ++asked < 2; }));
  EXPECT_EQ(asked, 2);
}

// A host whose engine recites another text, so that its model is implausible.
class CheckWhenIdleTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Engine>> make(std::optional<CheckVerdict> known) {
    auto engine = engine_of(std::make_unique<ScriptedModel>(
        byte_tokenizer()->vocabulary_size(), 4096, [this](std::span<const TokenId> sequence) {
          if (on_row_) on_row_(static_cast<int>(sequence.size()));
          return TokenId{'x'};
        }));
    engine->set_check(std::move(known),
                      [this](const CheckVerdict& verdict) { kept_.set_value(verdict); });
    return std::unique_ptr<Engine>(std::move(engine));
  }
  // As a request would.
  void load(EngineHost& host) {
    std::promise<void> loaded;
    host.queue().add(
        [&](const DecodeQueue::Control&) {
          const EngineHost::Use use(host);
          EXPECT_TRUE(host.engine());
          loaded.set_value();
        },
        Urgency::kEdit);
    ASSERT_EQ(loaded.get_future().wait_for(kHangLimit), std::future_status::ready);
  }

  std::function<void(int length)> on_row_;  // for each row, with the number of tokens before it
  std::promise<CheckVerdict> kept_;
};

TEST_F(CheckWhenIdleTest, ALoadedModelIsCheckedOnceAndARequestDoesNotWaitForTheEnd) {
  std::atomic<int> read = 0, read_before_request = 0;  // tokens, on the decode thread
  bool was_new = false;
  EngineHost host([&](const LoadControl&) { return make(std::nullopt); },
                  [](const std::function<void()>& posted) { posted(); });
  on_row_ = [&](int length) {
    if (read.exchange(std::max(read.load(), length)) > 0) return;
    host.queue().add([&](const DecodeQueue::Control&) { read_before_request = read.load(); },
                     Urgency::kCompletion);
  };
  host.observe([&](const EngineStatus& status) { was_new = was_new || status.fault_is_new; });
  load(host);
  std::future<CheckVerdict> kept = kept_.get_future();
  ASSERT_EQ(kept.wait_for(kHangLimit), std::future_status::ready);
  const CheckVerdict verdict = kept.get();
  host.queue().wait_until_idle();
  EXPECT_THAT(verdict.fault, HasSubstr("does not predict ordinary code"));
  EXPECT_EQ(host.status().fault, verdict.fault);
  EXPECT_TRUE(was_new);
  EXPECT_FALSE(host.status().fault_is_new) << "it is not new to a client that comes later";
  EXPECT_GE(read_before_request, 1);
  EXPECT_LT(read_before_request, kQuickTokens / 4);
  EXPECT_EQ(read, kQuickTokens - 1);
}

TEST_F(CheckWhenIdleTest, WhatAnEarlierCheckFoundIsKnownAndNotCheckedAgain) {
  EngineHost host(
      [&](const LoadControl&) {
        return make(CheckVerdict{.perplexity = 500, .fault = "It was bad."});
      },
      [](const std::function<void()>& posted) { posted(); });
  load(host);
  host.queue().wait_until_idle();  // also for what is to run later
  EXPECT_EQ(host.status().fault, "It was bad.");
  EXPECT_FALSE(host.status().fault_is_new);
  EXPECT_EQ(kept_.get_future().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

}  // namespace
}  // namespace redraft
