#pragma once

#include "decoding/cost_curve.h"

namespace redraft {

// What passes cost now: the curve, corrected by what the last passes took. Other work on the
// machine, its clock and its memory change from minute to minute, and the first row more or less
// than the further ones; so there is one factor for each, fitted to the passes as they are
// forgotten.
class PassPace {
 public:
  // A curve that was not measured here is not corrected.
  explicit PassPace(const CostCurve& curve) : curve_(curve) {}

  // The same factors for another curve.
  void follow(const CostCurve& curve) { curve_ = curve; }

  double seconds(int rows, int context) const;
  void measured(int rows, int context, double seconds);

  double first_row_factor() const { return first_; }
  double further_rows_factor() const { return further_; }

 private:
  CostCurve curve_;
  double first_ = 1;
  double further_ = 1;
  // Sums over the passes, each as a share of what the curve says: products of the first row's share
  // x, that of the further rows y and the time t.
  double xx_ = 0, xy_ = 0, yy_ = 0, xt_ = 0, yt_ = 0;
};

}  // namespace redraft
