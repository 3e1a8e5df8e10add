#include "decoding/acceptance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace redraft {
namespace {

using Rule = AcceptancePolicy::Rule;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Predictions greedy(std::vector<TokenId> argmax) {
  Predictions predictions;
  predictions.argmax = std::move(argmax);
  return predictions;
}

TEST(Accept, WithoutADraftTheTargetsTokenFollows) {
  const Acceptance accepted = accept(DraftTree(), greedy({7}), {});
  EXPECT_TRUE(accepted.path.empty());
  EXPECT_EQ(accepted.tokens, std::vector<TokenId>{7});
}

TEST(Accept, AChainStandsUpToItsFirstMismatch) {
  const DraftTree draft = DraftTree::chain(std::vector<TokenId>{5, 6, 7, 8}, DraftOrigin::kReuse);
  const Acceptance accepted = accept(draft, greedy({5, 6, 9, 8, 1}), {});
  EXPECT_EQ(accepted.path, (std::vector<int>{0, 1}));
  EXPECT_EQ(accepted.tokens, (std::vector<TokenId>{5, 6, 9}));
}

TEST(Accept, AcceptsTheLongestPathOfATree) {
  DraftTree draft;
  const int a = draft.add(5, -1, DraftOrigin::kCopy);
  const int b = draft.add(5, -1, DraftOrigin::kReuse);  // the same token twice
  draft.add(9, a, DraftOrigin::kCopy);
  const int c = draft.add(6, b, DraftOrigin::kReuse);
  const Acceptance accepted = accept(draft, greedy({5, 6, 6, 1, 4}), {});
  EXPECT_EQ(accepted.path, (std::vector<int>{b, c}));
  EXPECT_EQ(accepted.tokens, (std::vector<TokenId>{5, 6, 4}));
}

TEST(Accept, AChildOfARejectedNodeNeverStands) {
  DraftTree draft;
  const int wrong = draft.add(4, -1, DraftOrigin::kOther);
  draft.add(6, wrong, DraftOrigin::kOther);
  EXPECT_EQ(accept(draft, greedy({5, 6, 6}), {}).tokens, std::vector<TokenId>{5});
}

TEST(Accept, TheBonusIsTheArgmaxAlsoAfterALossyToken) {
  AcceptancePolicy policy{.rule = Rule::kTopK, .k = 2};
  Predictions predictions = greedy({5, 8});
  predictions.top_ids = {5, 3, 8, 1};
  predictions.top_logits = {2, 1, 2, 1};
  predictions.top_entropy = {0.8, 0.8};
  const DraftTree draft = DraftTree::chain(std::vector<TokenId>{3}, DraftOrigin::kModel);
  EXPECT_EQ(accept(draft, predictions, policy).tokens, (std::vector<TokenId>{3, 8}));
  policy.rule = Rule::kStrict;
  EXPECT_EQ(accept(draft, predictions, policy).tokens, (std::vector<TokenId>{5}));
}

int threshold(const std::vector<float>& logits, bool floor_tau) {
  return entropy_threshold(normalised_entropy(logits), static_cast<int>(logits.size()), floor_tau);
}

TEST(NormalisedEntropy, GoesFromCertainToUndecided) {
  EXPECT_EQ(normalised_entropy(std::vector<float>{}), 0);
  EXPECT_EQ(normalised_entropy(std::vector<float>{3}), 0);
  EXPECT_EQ(normalised_entropy(std::vector<float>{7, 7, 7, 7}), 1);
  EXPECT_NEAR(normalised_entropy(std::vector<float>{4, 4, -60}), std::log(2) / std::log(3), 1e-12);
  EXPECT_NEAR(normalised_entropy(std::vector<float>{60, 0}), 0, 1e-20);
  EXPECT_EQ(normalised_entropy(std::vector<float>{1, -kInfinity}), 0);
  EXPECT_TRUE(std::isnan(normalised_entropy(std::vector<float>{1, kNaN})));
  EXPECT_TRUE(std::isnan(normalised_entropy(std::vector<float>{kInfinity, 1})));
}

TEST(EntropyThreshold, FollowsEquationTen) {
  EXPECT_EQ(threshold(std::vector<float>{30, 0, 0}, false), 1);  // certain: H is almost 0
  EXPECT_EQ(threshold(std::vector<float>{1, 1, 1}, false), 3);   // undecided: H = 1
  EXPECT_EQ(threshold(std::vector<float>{1, 1, 1}, true), 3);    // and not just below it
  EXPECT_EQ(threshold(std::vector<float>{4, 4, -60}, false),
            2);  // H = log 2 / log 3 = 0.63
  EXPECT_EQ(threshold(std::vector<float>{4, 4, -60}, true), 1);
  EXPECT_EQ(threshold(std::vector<float>{3}, false), 1);
}

TEST(EntropyThreshold, AcceptsOnlyTheArgmaxWhenLogitsAreNaN) {
  EXPECT_EQ(threshold(std::vector<float>{kNaN, 1, 1}, false), 1);
  EXPECT_EQ(threshold(std::vector<float>{1, 1, kNaN}, false), 1);
  EXPECT_EQ(threshold(std::vector<float>{kInfinity, 1, 1}, false), 1);
  EXPECT_EQ(threshold(std::vector<float>{1, -kInfinity, -kInfinity}, false), 1);
}

// Equations 9 and 10 again, exactly as written in the paper.
int threshold_as_written(const std::vector<float>& logits, bool floor_tau) {
  std::vector<double> p;
  p.reserve(logits.size());
  double sum = 0;
  for (const float logit : logits) p.push_back(std::exp(static_cast<double>(logit)));
  for (const double value : p) sum += value;
  double entropy = 0;
  for (const double value : p) entropy -= value / sum * std::log(value / sum);
  const double scaled =
      static_cast<double>(p.size()) * entropy / std::log(static_cast<double>(p.size()));
  return std::max(1, static_cast<int>(floor_tau ? std::floor(scaled) : std::ceil(scaled)));
}

struct RandomRow {
  std::vector<TokenId> ids;
  std::vector<float> logits;
};

RandomRow random_row(std::mt19937& random, int k) {
  RandomRow row;
  std::vector<TokenId> ids(20);
  for (int i = 0; i < 20; ++i) ids[i] = i;
  std::shuffle(ids.begin(), ids.end(), random);
  float logit = 4;
  for (int i = 0; i < k; ++i) {
    row.ids.push_back(ids[i]);
    row.logits.push_back(logit);
    logit -= std::uniform_real_distribution<float>(0.01F, 2.0F)(random);
  }
  return row;
}

TEST(Accept, EachRuleAcceptsExactlyWhatItSays) {
  std::mt19937 random(3);
  int seen_accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    const Rule rule = static_cast<Rule>(round % 4);
    const AcceptancePolicy policy{
        .rule = rule, .k = 1 + round / 4 % 6, .floor_tau = round / 24 % 2 == 1};
    const RandomRow row = random_row(random, policy.k);
    const auto token = std::uniform_int_distribution<TokenId>(0, 19)(random);
    Predictions predictions = greedy({row.ids[0], 1});
    if (policy.needs().top_k > 0) {
      predictions.top_ids = row.ids;
      predictions.top_logits = row.logits;
      predictions.top_ids.resize(2 * row.ids.size(), 1);
      predictions.top_logits.resize(2 * row.ids.size(), 0);
      predictions.top_entropy = {normalised_entropy(row.logits), 0};
    }
    int candidates = 1;
    if (rule == Rule::kTopK) candidates = policy.k;
    if (rule == Rule::kEntropy && policy.k > 1)
      candidates = threshold_as_written(row.logits, policy.floor_tau);
    const auto end = row.ids.begin() + candidates;
    const bool expected = rule == Rule::kDirect || std::find(row.ids.begin(), end, token) != end;
    const DraftTree draft = DraftTree::chain({&token, 1}, DraftOrigin::kModel);
    ASSERT_EQ(!accept(draft, predictions, policy).path.empty(), expected) << "round " << round;
    if (expected && rule != Rule::kDirect) ++seen_accepted;
  }
  EXPECT_GT(seen_accepted, 500);
}

}  // namespace
}  // namespace redraft
