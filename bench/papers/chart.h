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
    kLine,
    kMarks,         // single points, larger
    kDotsAndMeans,  // small dots, and a line through the mean of each tenth of the x axis
  };
  std::string name;
  std::vector<ChartPoint> points;
  Style style = Style::kLine;
};

// One pair of axes; y begins at 0.
struct ChartPanel {
  std::string title;
  std::string x_title;
  std::string y_title;
  std::vector<ChartSeries> series;
  std::optional<double> level = {};  // a dashed line: the value without the method
  bool x_is_share = false;           // x goes from 0 to 1 and is written in percent
};

// An SVG with `columns` panels per row and one legend. Series with the same name have the same
// colour in all panels. The same panels give the same bytes.
std::string chart(std::span<const ChartPanel> panels, int columns);

}  // namespace redraft
