// Another try of an edit goes the other way where the model hesitated most.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kit/scripted_engine.h"
#include "tests/kit/scripted_model.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::HasSubstr;

const std::string kBefore = "def area(width, height):\n    return width * height\n";
const std::string kAnswer = "def area(width, height):\n    return abs(width * height)\n```";

EditRequest request_for(int another, const char* decoder = "redraft") {
  EditRequest request;
  request.document = *Document::make("file:///a.py", 1, kBefore, "python");
  request.instruction = "change it";
  request.decoder = *parse_decoder_name(decoder);
  request.retry_index = another;
  request.repairs = false;
  return request;
}

EditPrompt prompt_of_first_answer(Engine& engine) {
  const EditRequest request = request_for(0);
  const EditRegion file = *EditRegion::make(request.document, EditScope::kFile, {});
  return plan_region(engine, request, request.instruction, file)->prompt;
}

std::unique_ptr<Engine> engine() {
  return scripted_engine([](const ScriptedPrompt&) { return kAnswer; });
}

// The answer with another token at one place: by what the model says of each place by itself. Only
// code has such places, not its closing fence, and none where the turn would end.
std::string expected(int another) {
  const auto any = engine();
  const EditPrompt planned = prompt_of_first_answer(*any);
  const std::vector<TokenId>& prompt = planned.tokens;
  const std::vector<TokenId> answer = any->tokenizer().encode(kAnswer);
  const ScriptedModel model(
      any->tokenizer().vocabulary_size(), 1 << 16,
      [&](std::span<const TokenId> sequence) { return answer[sequence.size() - prompt.size()]; });
  std::vector<float> margins;
  std::vector<TokenId> seconds, sequence = prompt;
  for (const TokenId token : answer) {
    const ScriptedModel::Ranking ranking = model.ranking(sequence, 2);
    margins.push_back(ranking.logits[0] - ranking.logits[1]);
    seconds.push_back(ranking.ids[1]);
    sequence.push_back(token);
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < kAnswer.find("```"); ++i)
    if (std::ranges::find(planned.stop_tokens, seconds[i]) == planned.stop_tokens.end())
      order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return margins[i]; });
  const std::size_t at = order[static_cast<std::size_t>(another) - 1];
  std::vector<TokenId> other = answer;
  other[at] = seconds[at];
  return any->tokenizer().decode(other);
}

TEST(AnotherTry, IsTheSameWithEveryDecoder) {
  for (int another = 1; another <= 4; ++another) {
    const std::string output = expected(another);
    EXPECT_NE(output, kAnswer);
    for (const char* decoder : {"ar", "pld", "fastfixer", "copyspec", "redraft"}) {
      const auto made = engine();
      const Result<EditResult> result = run_edit(*made, request_for(another, decoder), {}, {});
      ASSERT_TRUE(result) << result.error().message();
      EXPECT_EQ(result->output, output) << decoder << " " << another;
      EXPECT_EQ(result->finish_reason, FinishReason::kStop);
    }
  }
}

TEST(AnotherTry, DependsOnNothingThatCameBefore) {
  const auto warm = engine();
  for (const int another : {0, 2, 1, 2}) {
    const Result<EditResult> result = run_edit(*warm, request_for(another), {}, {});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->output, another == 0 ? kAnswer : expected(another));
  }
}

TEST(AnotherTry, ReadsThePromptOnce) {
  const auto warm = engine();
  ASSERT_TRUE(run_edit(*warm, request_for(0), {}, {}));
  const Result<EditResult> again = run_edit(*warm, request_for(1), {}, {});
  ASSERT_TRUE(again);
  EXPECT_LT(again->statistics.prefilled_tokens, 4) << "the cache has it";
  EXPECT_LT(again->statistics.passes, 20) << "the first answer is a draft";
}

TEST(AnotherTry, HasToBePossible) {
  const auto beyond_code = static_cast<int>(kAnswer.find("```")) + 1;
  const Result<EditResult> beyond = run_edit(*engine(), request_for(beyond_code), {}, {});
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().message(), HasSubstr("no more than"));
  EditRequest places = request_for(1);
  places.scope = EditScope::kPlaces;
  places.places = {{0, 4}};
  const Result<EditResult> refused = run_edit(*engine(), places, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("one region"));
}

TEST(AnotherTry, CanBeCancelled) {
  std::stop_source stop;
  const EditObserver observer{.on_progress = [&](const EditProgress&) { stop.request_stop(); }};
  const Result<EditResult> result = run_edit(*engine(), request_for(1), observer, stop.get_token());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_TRUE(result->hunks.empty());
}

}  // namespace
}  // namespace redraft
