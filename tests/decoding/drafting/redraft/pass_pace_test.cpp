#include "decoding/drafting/redraft/pass_pace.h"

#include <gtest/gtest.h>

#include <cmath>

namespace redraft {
namespace {

const std::vector<CostCurve::Point> kPoints = {{1, 0.03}, {4, 0.032}, {8, 0.045}, {64, 0.36}};

TEST(PassPace, IsTheCurveUntilPassesSayOtherwise) {
  const CostCurve curve(kPoints, true);
  PassPace pace(curve);
  for (const int rows : {1, 3, 8, 100})
    EXPECT_DOUBLE_EQ(pace.seconds(rows, 0), curve.seconds(rows));
  for (int pass = 0; pass < 20; ++pass) pace.measured(8, 0, curve.seconds(8));
  EXPECT_NEAR(pace.seconds(8, 0), curve.seconds(8), 1e-9);
  EXPECT_NEAR(pace.seconds(64, 0), curve.seconds(64), 1e-9);
}

// The first row takes less time than when the curve was measured, further ones take more.
TEST(PassPace, LearnsWhatTheFirstRowAndTheFurtherOnesTakeNow) {
  const CostCurve curve(kPoints, true);
  const auto now = [&curve](int rows) {
    return 0.7 * curve.seconds(1) + 1.5 * (curve.seconds(rows) - curve.seconds(1));
  };
  PassPace pace(curve);
  for (int pass = 0; pass < 60; ++pass) {
    for (const int rows : {1, 4, 12}) pace.measured(rows, 0, now(rows));
  }
  for (const int rows : {1, 2, 6, 12, 40})
    EXPECT_NEAR(pace.seconds(rows, 0), now(rows), 0.1 * now(rows));
  // And again, after the machine has changed once more.
  for (int pass = 0; pass < 200; ++pass)
    pace.measured(pass % 2 ? 1 : 12, 0, curve.seconds(pass % 2 ? 1 : 12));
  EXPECT_NEAR(pace.seconds(12, 0), curve.seconds(12), 0.05 * curve.seconds(12));
}

TEST(PassPace, AnInterruptedPassOrNonsenseChangesNothing) {
  const CostCurve curve(kPoints, true);
  PassPace pace(curve);
  for (const double seconds : {0.0, -1.0, 10.0, 1e300, std::nan(""), HUGE_VAL})
    pace.measured(4, 0, seconds);
  EXPECT_DOUBLE_EQ(pace.seconds(4, 0), curve.seconds(4));
}

// The factors belong to a curve: with a corrected one they would count twice.
TEST(PassPace, AnotherCurveStartsWithoutFactors) {
  const CostCurve curve(kPoints, true);
  PassPace pace(curve);
  for (int pass = 0; pass < 50; ++pass) pace.measured(8, 0, 2 * curve.seconds(8));
  pace.follow(CostCurve(kPoints, true));
  EXPECT_GT(pace.seconds(8, 0), 1.8 * curve.seconds(8));
  const CostCurve twice = curve.scaled(2, 2);
  pace.follow(twice);
  EXPECT_DOUBLE_EQ(pace.seconds(8, 0), twice.seconds(8));
}

TEST(PassPace, APriceThatNobodyMeasuredStays) {
  const CostCurve curve(kPoints);
  PassPace pace(curve);
  for (int pass = 0; pass < 50; ++pass) pace.measured(8, 0, 2 * curve.seconds(8));
  EXPECT_DOUBLE_EQ(pace.seconds(8, 0), curve.seconds(8));
}

}  // namespace
}  // namespace redraft
