#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"

namespace redraft {

class LanguageModel;

// The seconds that one forward pass takes, as a function of its rows and of the context tokens
// below them. Measured on this machine, it is the price of a draft row. More rows or more context
// never cost less.
class CostCurve {
 public:
  struct Point {
    int rows;  // at least 1
    double seconds;
    int context = 0;  // at least 0
    bool operator==(const Point&) const = default;
  };
  CostCurve() = default;  // every pass costs the same: rows are free
  // Points in any order. Noise only ever adds time, so a pass that took longer than a larger pass
  // on the same context is taken to cost what the larger one did.
  explicit CostCurve(std::vector<Point> points, bool measured_here = false, double unrest = 0);
  // How a curve is measured.
  struct Measuring {
    // If set: called before each pass; may run other work. False ends the measurement.
    std::function<bool()> go_on = {};
    std::function<double()> wall_clock = {};  // in seconds; empty: the system's clock
  };
  // Times a few passes on a scratch cache, which takes about a second with a 1.5B model. A
  // measurement that was ended early returns a curve without points.
  static CostCurve measure(LanguageModel& model, const Measuring& how);
  static CostCurve measure(LanguageModel& model) { return measure(model, Measuring{}); }

  // Parses "ROWS:COST,…", as in "1:1,8:1.35,64:9.7". A cost times `unit` is in seconds. The error
  // names the part that cannot be parsed.
  static Result<std::vector<Point>> parse_points(std::string_view text, double unit = 1);

  // Interpolated between the points, extrapolated beyond the last.
  double seconds(int rows, int context = 0) const;
  // The fewest rows, up to `most`, whose cost per row is within `tolerance` of the best. Larger
  // passes gain little.
  int efficient_rows(int most, double tolerance = 0.1, int context = 0) const;
  // Starts from `least` and doubles as long as a pass takes at most `budget` seconds; at most
  // `most`.
  int rows_within(double budget, int least, int most, int context = 0) const;
  // How many tokens of a prompt can be read in `budget` seconds; at most `most`.
  int tokens_read_in(double budget, int most) const;
  // Whether the seconds were measured with this machine and model. Otherwise the prices were given.
  bool measured_here() const { return measured_here_; }
  // How busy the machine was during the measurement: the fraction by which repeated timings
  // differed, or by which the wall clock ran ahead of the model's clock. 0.1 is a tenth.
  double unrest() const { return unrest_; }
  bool quiet() const { return unrest_ <= kMaxQuietUnrest; }
  static constexpr double kMaxQuietUnrest = 0.2;
  // The curve on which the first row takes `first` times and each further row `further` times as
  // long.
  CostCurve scaled(double first, double further) const;
  CostCurve with_unrest(double unrest) const { return CostCurve(points_, measured_here_, unrest); }
  // By context, then by rows.
  const std::vector<Point>& points() const { return points_; }

 private:
  // The points of one context: [begin, end) of points_.
  struct Line {
    int context;
    int begin;
    int end;
  };
  double seconds_on(const Line& line, int rows) const;

  std::vector<Point> points_;
  std::vector<Line> lines_;
  bool measured_here_ = false;
  double unrest_ = 0;
};

}  // namespace redraft
