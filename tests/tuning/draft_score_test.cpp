#include "tuning/draft_score.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

// A text of `count` tokens 10, 11, … of which the target begins at position 2; the draft's choices
// are right but for those at `wrong` positions.
struct Case {
  TrainingText text;
  TextPredictions draft;
  std::vector<TokenId> target;
};
Case make_case(int count, std::vector<std::int32_t> learnt, const std::vector<int>& wrong) {
  Case out;
  out.text.tokens.resize(static_cast<std::size_t>(count));
  std::iota(out.text.tokens.begin(), out.text.tokens.end(), 10);
  out.text.learnt = std::move(learnt);
  out.target.assign(out.text.tokens.begin() + 2, out.text.tokens.end());
  out.draft.choices = out.target;
  for (const int position : wrong) out.draft.choices[static_cast<std::size_t>(position - 2)] = 1;
  out.draft.log_probability.assign(out.target.size(), -0.5F);
  return out;
}

TEST(DraftScore, CountsPassesPhaseByPhase) {
  // Phases 3..8 and 12..13. In the first, with gamma 3: 3, 4 accepted and 5 corrected; 6, 7, 8
  // accepted to the end. In the second: 12 corrected, 13 accepted.
  const Case each = make_case(15, {3, 4, 5, 6, 7, 8, 12, 13}, {5, 9, 12});
  const DraftScore score = score_draft(each.text, 2, each.draft, each.target, 3);
  EXPECT_EQ(score.phases, 2);
  EXPECT_EQ(score.passes, 4);
  EXPECT_EQ(score.drafted, 3 + 3 + 2 + 1);
  EXPECT_EQ(score.accepted, 2 + 3 + 0 + 1);
  EXPECT_EQ(score.emitted, 8);
  EXPECT_EQ(score.learnt.tokens, 8);
  EXPECT_EQ(score.learnt.right, 6);
  EXPECT_DOUBLE_EQ(score.learnt.sum, 4);
  EXPECT_EQ(score.all.tokens, 13);
  EXPECT_EQ(score.all.right, 10);
}

TEST(DraftScore, ThePassAddsATokenOfTheTarget) {
  const Case each = make_case(12, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {});
  const DraftScore score = score_draft(each.text, 2, each.draft, each.target, 4);
  EXPECT_EQ(score.passes, 2);  // 4 and 1, 4 and 1
  EXPECT_EQ(score.emitted, 10);
  EXPECT_EQ(score.accepted, 8);
}

TEST(DraftScore, AcceptsWhatTheTargetWouldSay) {
  Case each = make_case(6, {2, 3, 4, 5}, {});
  each.target[0] = 7;
  const DraftScore score = score_draft(each.text, 2, each.draft, each.target, 2);
  EXPECT_EQ(score.passes, 2);  // a correction; two accepted and the target's own
  EXPECT_EQ(score.learnt.right, 4);
}

// By definition: drafting token by token, as the decoder does.
TEST(DraftScore, EqualsDraftingTokenByToken) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Case each = make_case(30, {}, {});
    for (int p = 2; p < 30; ++p) {
      if (random() % 3 != 0) each.text.learnt.push_back(p);
      if (random() % 3 == 0) each.draft.choices[static_cast<std::size_t>(p - 2)] = 1;
    }
    if (each.text.learnt.empty()) continue;
    const int gamma = 1 + static_cast<int>(random() % 8);
    std::int64_t passes = 0;
    std::int64_t accepted = 0;
    std::size_t i = 0;
    while (i < each.text.learnt.size()) {
      ++passes;
      for (int n = 0; n <= gamma && i < each.text.learnt.size(); ++n) {
        const std::int32_t position = each.text.learnt[i++];
        const bool ends = i == each.text.learnt.size() || each.text.learnt[i] != position + 1;
        const auto at = static_cast<std::size_t>(position - 2);
        const bool right = n < gamma && each.draft.choices[at] == each.target[at];
        accepted += right ? 1 : 0;
        if (!right || ends) break;
      }
    }
    const DraftScore score = score_draft(each.text, 2, each.draft, each.target, gamma);
    EXPECT_EQ(score.passes, passes);
    EXPECT_EQ(score.accepted, accepted);
    EXPECT_EQ(score.emitted, static_cast<std::int64_t>(each.text.learnt.size()));
  }
}

TEST(PredictText, SaysWhatTheModelWouldWriteAtEveryPlace) {
  ScriptedModel model = ScriptedModel::random(5, {});
  std::vector<TokenId> tokens(400);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<TokenId>(i * i % 23);
  for (const int first : {1, 2, 130, 399}) {
    const TextPredictions predicted = predict_text(model, tokens, first);
    ASSERT_EQ(predicted.choices.size(), tokens.size() - static_cast<std::size_t>(first));
    for (std::size_t i = 0; i < predicted.choices.size(); ++i)
      EXPECT_EQ(predicted.choices[i],
                model.next(std::span(tokens).first(static_cast<std::size_t>(first) + i)));
  }
}

}  // namespace
}  // namespace redraft
