// How measured passes validate a cost curve
//
// A curve that was measured in a busy second misprices everything after it. The passes of a decode
// are timed anyway, so each is compared with its price on the curve. A hundred of them tell whether
// the curve is wrong or the moment was unusual. The fit minimises the sum of absolute deviations by
// least squares with weights that shrink as a pass is farther off. Unlike plain least squares, it
// ignores a minority that was interrupted, however long.
//
// An example. The curve says 60 ms for one row and 4 ms for each further one, measured while
// another program used the memory. Now passes of 1 and 11 rows take 30 and 60 ms, and every tenth
// takes 400 ms. The multiples are 0.5 and 0.6, so the curve disagrees; the factors are 30 / 60 =
// 0.5 and (60 - 30) / (10 * 4) = 0.75.

#include "decoding/cost_check.h"

#include <algorithm>
#include <cmath>

namespace redraft {
namespace {

constexpr double kTolerance = 1.3;  // a pass this many times off contradicts the curve
constexpr double kMaxFactor = 8;
constexpr int kIterations = 30;
constexpr double kMinDeviation = 1e-3;  // bounds the weight of a pass exactly on the fit
// Weight of the prior that decides where the passes do not, for instance because all had one row: a
// machine that is slower at first rows is assumed to be equally slower at further rows.
constexpr double kTie = 1e-3;

}  // namespace

void CostCheck::measured(const CostCurve& curve, int rows, int context, double seconds) {
  const double expected = curve.seconds(rows, context);
  const double time = seconds / expected;
  if (!(time > 0) || !std::isfinite(time)) return;
  const Pass pass{curve.seconds(1, context) / expected, time};
  if (!full()) return passes_.push_back(pass);
  passes_[static_cast<std::size_t>(next_)] = pass;
  next_ = (next_ + 1) % kPasses;
}

bool CostCheck::disagrees() const {
  const auto off = std::count_if(passes_.begin(), passes_.end(), [](const Pass& pass) {
    return pass.time > kTolerance || pass.time < 1 / kTolerance;
  });
  return 2 * off >= kPasses;
}

std::optional<CostCheck::Factors> CostCheck::factors() const {
  if (!full()) return {};
  Factors fit;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    double xx = kTie, xy = -kTie, yy = kTie, xt = 0, yt = 0;  // pulls the two factors together
    for (const Pass& pass : passes_) {
      const double x = pass.first_share;
      const double y = 1 - x;
      const double deviation = std::abs(pass.time - fit.first * x - fit.further * y);
      const double weight = 1 / std::max(deviation, kMinDeviation);
      xx += weight * x * x;
      xy += weight * x * y;
      yy += weight * y * y;
      xt += weight * x * pass.time;
      yt += weight * y * pass.time;
    }
    const double determinant = xx * yy - xy * xy;
    if (!(determinant > 0)) break;
    fit.first = std::clamp((xt * yy - yt * xy) / determinant, 1 / kMaxFactor, kMaxFactor);
    fit.further = std::clamp((yt * xx - xt * xy) / determinant, 1 / kMaxFactor, kMaxFactor);
  }
  return fit;
}

}  // namespace redraft
