#include "tuning/loss_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace redraft {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::vector<StepRecord> steps(int n) {
  std::vector<StepRecord> out(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    out[static_cast<std::size_t>(i)].loss = 2.0 / (1 + i);
    if (i % 10 == 9) out[static_cast<std::size_t>(i)].held_out = 1.0;
  }
  return out;
}

TEST(LossCurve, HasEachStepAndEachHeldOutLoss) {
  const std::string svg = loss_curve(steps(30), "a < b & c");
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "<circle"), 3U);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), svg.npos);
  const std::size_t points = svg.find("points=\"");
  const std::string first = svg.substr(points, svg.find('>', points) - points);
  EXPECT_EQ(count(first, ","), 30U);
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(svg, loss_curve(steps(30), "a < b & c"));
}

TEST(LossCurve, HigherLossesAreHigherUp) {
  const std::string svg = loss_curve(steps(2), "");
  const std::size_t at = svg.find("points=\"") + 8;
  double x[2], y[2];
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "%lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1]), 4);
  EXPECT_LT(x[0], x[1]);
  EXPECT_LT(y[0], y[1]);  // downwards, as SVG counts
}

TEST(LossCurve, DrawsNoStepsAndOneStep) {
  EXPECT_EQ(count(loss_curve({}, "t"), "<polyline"), 0U);
  EXPECT_EQ(count(loss_curve(steps(1), "t"), "<circle"), 1U);
}

}  // namespace
}  // namespace redraft
