#include "support/chart/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string one_panel(const ChartPanel& panel, const ChartSize& size = {}) {
  return chart({&panel, 1}, 1, size);
}

TEST(Chart, PutsPointsWhereTheyBelong) {
  const std::string svg = one_panel({.title = "a < b",
                                     .x_title = "x",
                                     .y_title = "y",
                                     .series = {{.name = "s", .points = {{2, 0}, {4, 10}}}},
                                     .level = 5});
  // One panel of 420 x 300 below one line of legend (28): x from 56 to 404, y from 250 up to 34.
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"56.0,278.0 404.0,62.0\""));
  EXPECT_THAT(svg, HasSubstr("y1=\"170.0\" x2=\"404.0\" y2=\"170.0\" stroke=\"#666\""));
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
}

TEST(Chart, DrawsTheMeanOfEachTenthOfAShare) {
  const std::string svg = one_panel({.title = "",
                                     .x_title = "",
                                     .y_title = "",
                                     .series = {{.name = "s",
                                                 .points = {{0.91, 2}, {0.99, 4}, {0.05, 10}},
                                                 .style = ChartSeries::Style::kDotsAndMeans}},
                                     .x_axis = ChartPanel::XAxis::kShare});
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"73.4,62.0 386.6,213.2\"")) << svg;
}

TEST(Chart, StepsBeginAtZeroAndEndAtARoundNumber) {
  const std::string svg = one_panel(
      {.title = "",
       .x_title = "",
       .y_title = "",
       .series = {{.name = "s", .points = {{7, 1}, {58, 2}}, .style = ChartSeries::Style::kCurve}},
       .x_axis = ChartPanel::XAxis::kSteps,
       .y_begin = 1},
      {.width = 720, .height = 400});
  // x from 56 (0) to 704 (60), y from 378 (1) up to 62 (2).
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"131.6,378.0 682.4,62.0\"")) << svg;
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 720 428\""));
  EXPECT_THAT(svg, HasSubstr(">60</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<circle"))) << "a curve has no dots";
}

TEST(Chart, ValuesBelowTheBeginningOfTheAxisLowerIt) {
  const std::string svg = one_panel({.title = "",
                                     .x_title = "",
                                     .y_title = "",
                                     .series = {{.name = "s", .points = {{0, -1}, {1, 1}}}}});
  EXPECT_THAT(svg, HasSubstr("<polyline points=\"56.0,278.0 404.0,62.0\"")) << svg;
  EXPECT_THAT(svg, HasSubstr(">-1</text>"));
}

TEST(Chart, TextIsEscapedAndHasNoControlCharacters) {
  const std::string svg =
      one_panel({.title = "a\x01\"&b\n", .x_title = "", .y_title = "", .series = {}});
  EXPECT_THAT(svg, HasSubstr(">a&quot;&amp;b</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<polyline")));
}

}  // namespace
}  // namespace redraft
