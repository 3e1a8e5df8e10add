// How the price of a pass follows the machine
//
// The cost curve was measured once. Current passes may take longer or shorter, and not by a single
// factor: another program that uses the memory slows down the first row, which reads the weights,
// while one that uses the cores slows down the further rows. So the first row and the further rows
// have a factor each, fitted to the last passes by least squares.
//
// An example. By the curve a pass of one row takes 50 ms, and each further row 2 ms. If passes of
// one row keep taking 60 ms and those of eleven rows 76 ms, the factors approach 60 / 50 = 1.2 and
// (76 - 60) / (10 * 2) = .8. A pass of five rows is then priced at 1.2 * 50 + .8 * 8 = 66.4 ms.

#include "decoding/drafting/redraft/pass_pace.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr double kForget =
    0.96;  // factor by which each new measurement reduces the weight of older ones
constexpr double kTrustInCurve = 1;  // weight of the curve, in passes
constexpr double kMaxFactor = 4;     // a slower pass was interrupted by something else

double within_reason(double factor) { return std::clamp(factor, 1 / kMaxFactor, kMaxFactor); }

}  // namespace

void PassPace::follow(const CostCurve& curve) {
  if (curve.points() != curve_.points() || curve.measured_here() != curve_.measured_here())
    *this = PassPace(curve);
}

double PassPace::seconds(int rows, int context) const {
  const double first = curve_.seconds(1, context);
  return first_ * first + further_ * (curve_.seconds(rows, context) - first);
}

void PassPace::measured(int rows, int context, double seconds) {
  if (!curve_.measured_here()) return;
  const double expected = curve_.seconds(rows, context);
  const double time = seconds / expected;
  if (!(time > 0) || time > kMaxFactor) return;
  const double x = curve_.seconds(1, context) / expected;
  const double y = 1 - x;
  for (double* sum : {&xx_, &xy_, &yy_, &xt_, &yt_}) *sum *= kForget;
  xx_ += x * x;
  xy_ += x * y;
  yy_ += y * y;
  xt_ += x * time;
  yt_ += y * time;
  // Least squares with a prior at factors of 1.
  const double a = xx_ + kTrustInCurve;
  const double d = yy_ + kTrustInCurve;
  const double determinant = a * d - xy_ * xy_;
  const double to_x = xt_ + kTrustInCurve;
  const double to_y = yt_ + kTrustInCurve;
  first_ = within_reason((to_x * d - to_y * xy_) / determinant);
  further_ = within_reason((to_y * a - to_x * xy_) / determinant);
}

}  // namespace redraft
