#pragma once

#include <vector>

namespace redraft {

class LanguageModel;

// Seconds of one forward pass by its number of rows, measured on this machine: what a draft row costs.
class CostCurve {
 public:
  struct Point {
    int rows;
    double seconds;
  };
  CostCurve() = default;  // every pass costs the same: rows are free
  // `points` ascending in rows, at least one.
  explicit CostCurve(std::vector<Point> points);
  // Times a few passes on a scratch cache; takes about half a second with a 1.5B model.
  static CostCurve measure(LanguageModel& model);

  // Interpolated between the points, extrapolated beyond the last.
  double seconds(int rows) const;
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

}  // namespace redraft
