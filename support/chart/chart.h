#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace redraft {

using ChartPoint = std::pair<double, double>;  // x, y; finite

struct ChartSeries {
  enum class Style {
    kLine,          // a line through its points
    kCurve,         // a line alone, for many points
    kFaintCurve,    // a thin pale line alone, for noisy points
    kMarks,         // single points, larger
    kDotsAndMeans,  // small dots, and a line through the mean of each tenth of the x axis
  };
  std::string name;
  std::vector<ChartPoint> points;
  Style style = Style::kLine;
};

// One pair of axes.
struct ChartPanel {
  enum class XAxis {
    kMeasured,  // from the first point to the last, labelled at points
    kShare,     // from 0 to 1, labelled in percent
    kSteps,     // from 0, labelled at round numbers
  };
  std::string title;
  std::string x_title;
  std::string y_title;
  std::vector<ChartSeries> series;
  std::optional<double> level = {};  // a dashed line: the value without the method
  XAxis x_axis = XAxis::kMeasured;
  double y_begin = 0;  // y begins here, or at the lowest point if that is below
};

struct ChartSize {
  double width = 420;
  double height = 300;
};

// An SVG with `columns` panels of `size` per row and one legend. Series with the same name have the
// same colour in all panels. The same panels give the same bytes.
std::string chart(std::span<const ChartPanel> panels, int columns, const ChartSize& size = {});

}  // namespace redraft
