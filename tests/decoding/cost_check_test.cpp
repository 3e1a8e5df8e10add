#include "decoding/cost_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace redraft {
namespace {

// 60 ms for one row and 4 ms for each further one, at any context.
CostCurve curve() { return CostCurve({{1, 0.060}, {11, 0.100}}, true); }

// What passes take now if the curve is off by these factors.
double now(double first, double further, int rows) {
  return first * 0.060 + further * 0.004 * (rows - 1);
}

TEST(CostCheck, AgreesWithPassesThatCostWhatTheCurveSays) {
  CostCheck check;
  for (int pass = 0; pass < 250; ++pass) {
    check.measured(curve(), 1 + pass % 12, 0, now(1.1, 0.95, 1 + pass % 12));
    EXPECT_FALSE(check.disagrees());
    EXPECT_EQ(check.factors().has_value(), pass >= 99);
  }
  EXPECT_NEAR(check.factors()->first, 1.1, 0.01);
  EXPECT_NEAR(check.factors()->further, 0.95, 0.01);
}

TEST(CostCheck, DisagreesAfterFiftyWrongPassesOfTheLastHundred) {
  CostCheck check;
  for (int pass = 0; pass < 100; ++pass) check.measured(curve(), 4, 0, now(1, 1, 4));
  for (int pass = 0; pass < 49; ++pass) check.measured(curve(), 4, 0, now(0.5, 0.5, 4));
  EXPECT_FALSE(check.disagrees());
  check.measured(curve(), 4, 0, now(0.5, 0.5, 4));
  EXPECT_TRUE(check.disagrees());
  check.restart();
  EXPECT_FALSE(check.disagrees());
  EXPECT_FALSE(check.factors());
}

TEST(CostCheck, FindsTheFactorsAmongInterruptedPasses) {
  CostCheck check;
  std::mt19937 random(3);
  for (int pass = 0; pass < 300; ++pass) {
    const int rows = 1 + static_cast<int>(random() % 16);
    const double noise = 1 + 0.02 * (static_cast<double>(random() % 200) / 100 - 1);
    const double interrupted = pass % 5 == 0 ? 1 + static_cast<double>(random() % 50) : 1;
    check.measured(curve(), rows, 0, noise * interrupted * now(0.5, 0.75, rows));
  }
  EXPECT_TRUE(check.disagrees());
  EXPECT_NEAR(check.factors()->first, 0.5, 0.03);
  EXPECT_NEAR(check.factors()->further, 0.75, 0.12);
}

// What passes of one row say about further rows: the machine was slow when the curve was taken.
TEST(CostCheck, PassesOfOneRowCorrectTheWholeCurve) {
  CostCheck check;
  for (int pass = 0; pass < 100; ++pass) check.measured(curve(), 1, 0, now(0.4, 0, 1));
  EXPECT_NEAR(check.factors()->first, 0.4, 0.01);
  EXPECT_NEAR(check.factors()->further, 0.4, 0.01);
}

TEST(CostCheck, IgnoresInvalidPasses) {
  CostCheck check;
  for (int pass = 0; pass < 200; ++pass) {
    for (const double seconds : {0.0, -1.0, std::nan(""), HUGE_VAL})
      check.measured(curve(), 4, 0, seconds);
  }
  EXPECT_FALSE(check.factors());
  for (int pass = 0; pass < 100; ++pass) check.measured(curve(), 4, 0, 1e300);
  ASSERT_TRUE(check.factors());
  EXPECT_TRUE(std::isfinite(check.factors()->first) && std::isfinite(check.factors()->further));
}

}  // namespace
}  // namespace redraft
