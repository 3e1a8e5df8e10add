#pragma once

#include <vector>

namespace redraft {

class LanguageModel;

// Seconds of one forward pass by its number of rows, measured on this machine: what a draft row
// costs.
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
  // The fewest rows, up to `most`, whose cost per row is within `tolerance` of the best: larger
  // passes gain little more.
  int efficient_rows(int most, double tolerance = 0.1) const;
  // `least` doubled while a pass takes no longer than `budget` seconds, at most `most`.
  int rows_within(double budget, int least, int most) const;
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

}  // namespace redraft
