#include "workspace/completion/completion_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/fill_script.h"
#include "tests/kit/scripted_model.h"
#include "workspace/engine/local_engine.h"

namespace redraft {
namespace {

using testing::HasSubstr;

// Writes the same text everywhere, unless it is there already.
std::unique_ptr<Engine> engine_that_writes(const std::string& text,
                                           std::shared_ptr<const Tokenizer> tokenizer,
                                           std::vector<FillScript::Doubt> doubts = {}) {
  LocalEngine::Model target;
  target.name = "scripted";
  target.tokenizer = tokenizer;
  const FillScript script{{{"", text}}, std::move(doubts)};
  auto model = std::make_unique<ScriptedModel>(
      tokenizer->vocabulary_size(), 1 << 14,
      [tokenizer, script](std::span<const TokenId> sequence) {
        return is_fill_prompt(*tokenizer, sequence) ? next_fill_token(*tokenizer, script, sequence)
                                                    : TokenId{0};
      });
  model->set_certainty([tokenizer, script](std::span<const TokenId> sequence) {
    return certainty_of_fill(*tokenizer, script, sequence);
  });
  target.model = std::move(model);
  target.find_cost = [](LanguageModel&) { return CostCurve({{1, 0.010}, {11, 0.020}}); };
  return std::move(*LocalEngine::make(std::move(target), {}, {.context_limit = 1 << 14}));
}
std::unique_ptr<Engine> engine_that_writes(const std::string& text) {
  return engine_that_writes(text, fill_tokenizer());
}

CompletionRequest request_at(std::string marked, const std::string& decoder = "redraft") {
  const std::size_t offset = marked.find('|');
  marked.erase(offset, 1);
  return {.document = *Document::make("/project/a.py", 1, std::move(marked), "python"),
          .offset = offset,
          .decoder = *parse_decoder_name(decoder)};
}

TEST(Completion, IsWhatTheModelWritesAsFarAsItBelongsThere) {
  const auto engine = engine_that_writes("width * height)\nprint(1)\n");
  for (const char* decoder : {"ar", "redraft", "copyspec", "fastcoder"}) {
    const auto result = run_completion(*engine, request_at("area = f(|)\n", decoder), {});
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->text(), "width * height");
    EXPECT_EQ(result->output, "width * height)");
    EXPECT_EQ(result->finish_reason, FinishReason::kStop);
  }
}

// The gate ends what is shown, and the decode with it; what was written up to there is the same.
TEST(Completion, EndsWhereTheModelIsNotSure) {
  const auto engine =
      engine_that_writes("width * height + depth\n", fill_tokenizer(), {{"height ", 0.4}});
  for (const char* decoder : {"ar", "redraft", "copyspec", "fastcoder"}) {
    CompletionRequest request = request_at("area = |\n", decoder);
    const auto all = run_completion(*engine, request, {});
    EXPECT_EQ(all->text(), "width * height + depth");
    request.min_probability = 0.5;
    const auto sure = run_completion(*engine, request, {});
    ASSERT_TRUE(sure) << sure.error().message();
    EXPECT_EQ(sure->text(), "width * height") << decoder;
    EXPECT_TRUE(all->output.starts_with(sure->output));
    EXPECT_LT(sure->statistics.new_tokens, all->statistics.new_tokens);
    request.min_probability = 0.3;
    EXPECT_EQ(run_completion(*engine, request, {})->text(), "width * height + depth");
  }
}

TEST(Completion, IsNoneWhereTheModelIsNotSureOfAnything) {
  const auto engine = engine_that_writes("width", fill_tokenizer(), {{"area = ", 0.2}});
  CompletionRequest request = request_at("area = |\n");
  request.min_probability = 0.5;
  const auto result = run_completion(*engine, request, {});
  EXPECT_EQ(result->text(), "");
  EXPECT_THAT(result->why_none, HasSubstr("not sure enough"));
}

// A lossy decoder does not say how likely its tokens are.
TEST(Completion, HasNoGateWhereNobodyCanTell) {
  const auto engine = engine_that_writes("width", fill_tokenizer(), {{"area = ", 0.2}});
  CompletionRequest request = request_at("area = |\n", "efficientedit:reuse-only:top-k");
  request.min_probability = 0.5;
  const auto result = run_completion(*engine, request, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->text(), "width");
}

TEST(Completion, DraftsFromWhatTheFileHasOutsideOfTheWindow) {
  std::string said = "total";
  for (int i = 1; i < 30; ++i) said += " + " + std::to_string(i * i * i * 7919 % 99991);
  const auto passes = [&](const std::string& above) {
    std::string text = above;
    for (int i = 0; i < 500; ++i) text += "filler_" + std::to_string(i * i % 977) + " = 1\n";
    CompletionRequest request = request_at(text + "x = |\n");
    request.context_tokens = 384;
    request.max_new_tokens = 1000;
    const auto engine = engine_that_writes(said);
    const auto result = run_completion(*engine, request, {});
    EXPECT_EQ(result->text(), said);
    return result->statistics.passes;
  };
  EXPECT_LT(passes("y = " + said + "\n") * 2, passes("y = 1\n"));
}

// A draft of it would be wrong in most first passes, and cost the drafts that come after it.
TEST(Completion, DoesNotBeginWithWhatFollowsTheCursor) {
  const auto engine = engine_that_writes("x");
  const std::string below = "first = 1\nsecond = 2\nthird = 3\n";
  const auto result = run_completion(*engine, request_at("a = |\n" + below), {});
  ASSERT_TRUE(result);
  const auto& drafted = result->statistics.drafted_by_origin;
  EXPECT_EQ(drafted[static_cast<std::size_t>(DraftOrigin::kReuse)], 0);
}

TEST(Completion, EndsWhereTheModelEnds) {
  const auto engine = engine_that_writes("x = 1\n    return x");
  const auto result = run_completion(*engine, request_at("def f():\n    |\n"), {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text(), "x = 1\n    return x");
}

TEST(Completion, IsNotLongerThanRequested) {
  const auto engine = engine_that_writes(std::string(500, 'x'));
  CompletionRequest request = request_at("y = |\n");
  request.max_new_tokens = 20;
  const auto result = run_completion(*engine, request, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text(), std::string(20, 'x'));
  EXPECT_EQ(result->finish_reason, FinishReason::kLength);
}

TEST(Completion, DropsACutOffLastLine) {
  const auto engine = engine_that_writes("a = 1\n    b = 2\n    c = 3\n");
  CompletionRequest request = request_at("def f():\n    |\n");
  request.max_new_tokens = 12;
  const auto result = run_completion(*engine, request, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text(), "a = 1");
}

TEST(Completion, HasAsManyBlocksAsAreAskedFor) {
  const auto engine = engine_that_writes("f()\n\ng()\n\nh()\n");
  CompletionRequest request = request_at("import a\n\n|\n");
  EXPECT_EQ(run_completion(*engine, request, {})->text(), "f()");
  request.blocks = kBlocksWhenInvoked;
  EXPECT_EQ(run_completion(*engine, request, {})->text(), "f()\n\ng()");
}

TEST(Completion, BeforeALineIsNotJoinedToIt) {
  const auto engine = engine_that_writes("    a = 1\n    b = 2\n    c = 3\n");
  CompletionRequest request = request_at("def f():\r\n|    return b\r\n");
  EXPECT_EQ(run_completion(*engine, request, {})->text(),
            "    a = 1\r\n    b = 2\r\n    c = 3\r\n");
  request.max_new_tokens = 24;
  EXPECT_EQ(run_completion(*engine, request, {})->text(), "    a = 1\r\n    b = 2\r\n");
  request.max_new_tokens = 14;
  EXPECT_EQ(run_completion(*engine, request, {})->text(), "    a = 1\r\n");
}

TEST(Completion, LinesEndAsInTheDocument) {
  const auto engine = engine_that_writes("a = 1\n    b = 2\n");
  const auto result = run_completion(*engine, request_at("def f():\r\n    |\r\n"), {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text(), "a = 1\r\n    b = 2");
}

TEST(Completion, IsOffWithinCommentsWhereThatIsWanted) {
  const auto engine = engine_that_writes("more");
  CompletionRequest request = request_at("x = 1  # one |\n");
  EXPECT_EQ(run_completion(*engine, request, {})->text(), "more");
  request.in_comments = false;
  EXPECT_THAT(run_completion(*engine, request, {})->why_none, HasSubstr("comments"));
  request = request_at("x = 1  # one\n|\n");
  request.in_comments = false;
  EXPECT_EQ(run_completion(*engine, request, {})->text(), "more");
}

TEST(Completion, CanBeCancelled) {
  const auto engine = engine_that_writes("x");
  std::stop_source stop;
  stop.request_stop();
  const auto result = run_completion(*engine, request_at("y = |\n"), stop.get_token());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
}

TEST(Completion, RefusesPlacesThatAreNone) {
  const auto engine = engine_that_writes("x");
  CompletionRequest request = request_at("\xC3\xBC|");
  request.offset = 1;
  EXPECT_FALSE(run_completion(*engine, request, {}));
  request.offset = 3;
  EXPECT_FALSE(run_completion(*engine, request, {}));
  const auto other = engine_that_writes("x", byte_tokenizer());
  const auto refused = run_completion(*other, request_at("|"), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("fill-in-the-middle"));
}

// The next keystroke finds all of the prompt but its end in the cache.
TEST(Completion, AKeystrokeCostsLittle) {
  const auto engine = engine_that_writes("done");
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += "value_" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  ASSERT_TRUE(run_completion(*engine, request_at(text + "x|\n" + text), {}));
  const auto next = run_completion(*engine, request_at(text + "xy|\n" + text), {});
  ASSERT_TRUE(next);
  EXPECT_LT(next->statistics.prefilled_tokens, 260) << "a byte is a token here";
  EXPECT_GT(next->statistics.cached_prompt_tokens, 3000);
}

TEST(CompletionWindow, IsTheTextAroundThePlaceAndMovesInSteps) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "line number " + std::to_string(i) + " of \xC3\xBC\n";
  const auto document = *Document::make("a.py", 1, text);
  const CompletionBudget budget{.prefix_bytes = 6000, .suffix_bytes = 240};
  std::size_t begins = 0;
  std::size_t last = text.size();
  for (std::size_t offset = 0; offset < text.size(); offset += 97) {
    if ((static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80) ++offset;
    const CompletionWindow window = completion_window(*document, offset, budget);
    EXPECT_EQ(window.prefix.end, offset);
    EXPECT_EQ(window.suffix.begin, offset);
    EXPECT_LE(window.prefix.size(), 6000U);
    EXPECT_GE(window.prefix.size(), std::min<std::size_t>(offset, 2900));
    EXPECT_LE(window.suffix.size(), 240U);
    EXPECT_TRUE(window.prefix.begin == 0 || text[window.prefix.begin - 1] == '\n');
    if (window.prefix.begin != std::exchange(last, window.prefix.begin)) ++begins;
  }
  EXPECT_LE(begins, text.size() / 3000 + 1) << "once in half a budget";
  const auto line = *Document::make("a.py", 1, std::string(50000, 'x'));
  EXPECT_LE(completion_window(*line, 40000, budget).prefix.size(), 6000U);
}

TEST(CompletionBudget, DependsOnTheSizeOfPrompts) {
  const CompletionBudget little = completion_budget(PromptSize::kSmall, 0);
  EXPECT_EQ(little.snippet_tokens, 0U);
  EXPECT_NEAR(static_cast<double>(little.prefix_bytes + little.suffix_bytes), 3 * 384, 10);
  EXPECT_GT(completion_budget(PromptSize::kMedium, 0).snippet_tokens, 200U);
  const CompletionBudget much = completion_budget(PromptSize::kHuge, 0);
  EXPECT_GT(much.snippet_tokens, 500U);
  EXPECT_GT(much.prefix_bytes, 6000U);
  EXPECT_LE(much.suffix_bytes, 240U) << "it is read after each keystroke";
  EXPECT_LT(completion_budget(PromptSize::kHuge, 100).prefix_bytes, 400U) << "as it is set";
  for (const int wanted : {0, 100'000}) {
    const CompletionBudget bounded = completion_budget(PromptSize::kHuge, wanted, 500);
    EXPECT_LE(bounded.prefix_bytes + bounded.suffix_bytes, 1500U) << "as the context holds";
    EXPECT_EQ(bounded.snippet_tokens, 0U);
  }
}

}  // namespace
}  // namespace redraft
