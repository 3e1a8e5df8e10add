#include "bench/quality/intervals.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

namespace redraft {
namespace {

// With z = 1.96: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), by hand.
TEST(Wilson, IsWhatAPocketCalculatorSays) {
  EXPECT_NEAR(wilson(8, 10).low, 0.4902, 1e-4);
  EXPECT_NEAR(wilson(8, 10).high, 0.9433, 1e-4);
  EXPECT_NEAR(wilson(5, 40).low, 0.0546, 1e-4);
  EXPECT_NEAR(wilson(5, 40).high, 0.2611, 1e-4);
}

TEST(Wilson, StaysBetweenNoneAndAll) {
  EXPECT_DOUBLE_EQ(wilson(0, 10).low, 0);
  EXPECT_NEAR(wilson(0, 10).high, 0.2775, 1e-4);
  EXPECT_NEAR(wilson(10, 10).low, 0.7225, 1e-4);
  EXPECT_DOUBLE_EQ(wilson(10, 10).high, 1);
}

double mean(const std::vector<double>& values, Weights drawn) {
  return std::inner_product(values.begin(), values.end(), drawn.begin(), 0.0) /
         static_cast<double>(values.size());
}

std::optional<Interval> of_mean(const std::vector<double>& values) {
  return bootstrap(static_cast<int>(values.size()),
                   [&](Weights drawn) { return std::optional(mean(values, drawn)); });
}

// Of two tasks a resample is both with probability 1/2 and either one alone with 1/4 each.
TEST(Bootstrap, OfTwoTasksReachesBoth) {
  const auto interval = of_mean({0, 1});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 0);
  EXPECT_DOUBLE_EQ(interval->high, 1);
}

// A resample without one of three tasks: (2/3)³ = 0.30 for each; all three the same: 1/27 = 0.037,
// which is more than 2.5 %.
TEST(Bootstrap, OfThreeTasksReachesTheOutermost) {
  const auto interval = of_mean({0, 3, 30});
  EXPECT_DOUBLE_EQ(interval->low, 0);
  EXPECT_DOUBLE_EQ(interval->high, 30);
}

TEST(Bootstrap, OfEqualTasksIsAPoint) {
  const auto interval = of_mean(std::vector<double>(20, 0.5));
  EXPECT_DOUBLE_EQ(interval->low, 0.5);
  EXPECT_DOUBLE_EQ(interval->high, 0.5);
}

// 200 values 0…199: mean 99.5, standard deviation 57.7, so ± 1.96 * 57.7 / √200 = ± 8.0.
TEST(Bootstrap, OfManyTasksIsAboutTheNormalOne) {
  std::vector<double> values(200);
  std::iota(values.begin(), values.end(), 0);
  const auto interval = of_mean(values);
  EXPECT_NEAR(interval->low, 91.5, 0.8);
  EXPECT_NEAR(interval->high, 107.5, 0.8);
}

TEST(Bootstrap, DrawsTheSameEachTime) {
  const std::vector<double> values = {1, 2, 4, 8, 16, 32, 64};
  EXPECT_EQ(of_mean(values)->low, of_mean(values)->low);
  EXPECT_EQ(of_mean(values)->high, of_mean(values)->high);
  int draws = 0;
  bootstrap(7, [&](Weights drawn) -> std::optional<double> {
    EXPECT_EQ(std::accumulate(drawn.begin(), drawn.end(), 0), 7);
    ++draws;
    return 0.0;
  });
  EXPECT_EQ(draws, 2000);
}

TEST(Bootstrap, LeavesOutResamplesThatSayNothing) {
  const auto nothing = [](Weights) { return std::optional<double>(); };
  EXPECT_FALSE(bootstrap(3, nothing));
  const auto with_the_first = [](Weights drawn) {
    return drawn[0] > 0 ? std::optional(1.0) : std::nullopt;
  };
  EXPECT_DOUBLE_EQ(bootstrap(3, with_the_first)->low, 1);
}

// One to nine: 2 (C(10,0) + C(10,1)) / 2¹⁰ = 22 / 1024.
TEST(McNemar, IsTheBinomialTest) {
  EXPECT_NEAR(mcnemar(9, 1), 22.0 / 1024, 1e-12);
  EXPECT_NEAR(mcnemar(1, 9), 22.0 / 1024, 1e-12);
  EXPECT_NEAR(mcnemar(6, 0), 2.0 / 64, 1e-12);
  EXPECT_DOUBLE_EQ(mcnemar(5, 5), 1);
  EXPECT_DOUBLE_EQ(mcnemar(0, 0), 1);
  EXPECT_DOUBLE_EQ(mcnemar(1, 0), 1);
}

}  // namespace
}  // namespace redraft
