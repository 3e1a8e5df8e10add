#include "bench/methods/lossy_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace redraft {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

int threshold(const std::vector<float>& logits, Rounding rounding) {
  return entropy_threshold(normalised_entropy(logits), static_cast<int>(logits.size()), rounding);
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
  EXPECT_EQ(threshold(std::vector<float>{30, 0, 0}, Rounding::kUp), 1);   // certain: H is almost 0
  EXPECT_EQ(threshold(std::vector<float>{1, 1, 1}, Rounding::kUp), 3);    // undecided: H = 1
  EXPECT_EQ(threshold(std::vector<float>{1, 1, 1}, Rounding::kDown), 3);  // and not just below it
  EXPECT_EQ(threshold(std::vector<float>{4, 4, -60}, Rounding::kUp),
            2);  // H = log 2 / log 3 = 0.63
  EXPECT_EQ(threshold(std::vector<float>{4, 4, -60}, Rounding::kDown), 1);
  EXPECT_EQ(threshold(std::vector<float>{3}, Rounding::kUp), 1);
}

TEST(EntropyThreshold, TrustsTheArgmaxAloneWhenTheLogitsAreNoNumbers) {
  EXPECT_EQ(threshold(std::vector<float>{kNaN, 1, 1}, Rounding::kUp), 1);
  EXPECT_EQ(threshold(std::vector<float>{1, 1, kNaN}, Rounding::kUp), 1);
  EXPECT_EQ(threshold(std::vector<float>{kInfinity, 1, 1}, Rounding::kUp), 1);
  EXPECT_EQ(threshold(std::vector<float>{1, -kInfinity, -kInfinity}, Rounding::kUp), 1);
}

// Equations 9 and 10 again, exactly as written in the paper.
int threshold_as_written(const std::vector<float>& logits, Rounding rounding) {
  std::vector<double> p;
  p.reserve(logits.size());
  double sum = 0;
  for (const float logit : logits) p.push_back(std::exp(static_cast<double>(logit)));
  for (const double value : p) sum += value;
  double entropy = 0;
  for (const double value : p) entropy -= value / sum * std::log(value / sum);
  const double scaled =
      static_cast<double>(p.size()) * entropy / std::log(static_cast<double>(p.size()));
  return std::max(
      1, static_cast<int>(rounding == Rounding::kDown ? std::floor(scaled) : std::ceil(scaled)));
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

TEST(LossyRules, EachAcceptsExactlyWhatItSays) {
  enum class Kind { kTopK, kEntropy, kDirect };
  std::mt19937 random(3);
  int seen_accepted = 0;
  for (int round = 0; round < 15000; ++round) {
    const auto kind = static_cast<Kind>(round % 3);
    const int k = 1 + round / 3 % 6;
    const Rounding rounding = round / 18 % 2 == 1 ? Rounding::kDown : Rounding::kUp;
    const std::unique_ptr<const LossyRule> rule = kind == Kind::kTopK ? top_k_rule(k)
                                                  : kind == Kind::kEntropy
                                                      ? entropy_rule(k, rounding)
                                                      : direct_rule();
    const RandomRow row = random_row(random, k);
    const auto token = std::uniform_int_distribution<TokenId>(0, 19)(random);
    Predictions predictions;
    predictions.argmax = {row.ids[0], 1};
    EXPECT_EQ(rule->needs().top_k, kind == Kind::kDirect ? 0 : k);
    if (rule->needs().top_k > 0) {
      predictions.top_ids = row.ids;
      predictions.top_logits = row.logits;
      predictions.top_ids.resize(2 * row.ids.size(), 1);
      predictions.top_logits.resize(2 * row.ids.size(), 0);
    }
    int candidates = k;
    if (kind == Kind::kEntropy) candidates = k > 1 ? threshold_as_written(row.logits, rounding) : 1;
    const auto end = row.ids.begin() + candidates;
    const bool expected = kind == Kind::kDirect || std::find(row.ids.begin(), end, token) != end;
    const DraftTree draft = DraftTree::chain({&token, 1}, DraftOrigin::kModel);
    ASSERT_EQ(!accept(draft, predictions, rule.get()).path.empty(), expected) << "round " << round;
    if (expected && kind != Kind::kDirect) ++seen_accepted;
  }
  EXPECT_GT(seen_accepted, 500);
}

}  // namespace
}  // namespace redraft
