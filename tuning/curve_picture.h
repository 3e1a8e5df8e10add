#pragma once

#include <string>
#include <utility>
#include <vector>

namespace redraft {

// One axis of a picture: from `least` to `most`, with a label every `step`.
struct PictureAxis {
  double least = 0, most = 1, step = 1;
};

// From `least` or below to `most` or above, in about five round steps.
PictureAxis axis_over(double least, double most);

// An SVG of curves over a grid. The same calls give the same file; all text is escaped.
class CurvePicture {
 public:
  using Points = std::vector<std::pair<double, double>>;
  CurvePicture(const PictureAxis& across, const PictureAxis& up);

  // Shown above the grid.
  void title(const std::string& title, const std::string& legend);
  // `style` consists of attributes of a polyline: "stroke=\"#1f5fa8\" stroke-width=\"2\"".
  void line(const Points& points, const char* style);
  void dots(const Points& points, const char* colour);
  // Completes the picture. `across` is the label of the horizontal axis.
  std::string finish(const std::string& across);

 private:
  double x(double value) const;
  double y(double value) const;
  void text(double at_x, double at_y, const char* anchor, const std::string& what);
  void grid();

  PictureAxis across_, up_;
  std::string out_;
};

}  // namespace redraft
