#pragma once

#include "decoding/cost_curve.h"

namespace redraft {

// The current cost of passes: the cost curve, corrected by how long the last passes took. Other
// programs, the clock rate and the state of memory change from minute to minute, and may affect the
// first row more or less than the further ones. So each has its own factor, fitted to the measured
// passes, whose weight fades with time.
class PassPace {
 public:
  // A curve that was not measured on this machine is not corrected.
  explicit PassPace(const CostCurve& curve) : curve_(curve) {}

  // Switches to another curve. Factors belong to the curve they were fitted to, so a new curve
  // starts without any.
  void follow(const CostCurve& curve);

  double seconds(int rows, int context) const;
  void measured(int rows, int context, double seconds);

  double first_row_factor() const { return first_; }
  double further_rows_factor() const { return further_; }

 private:
  CostCurve curve_;
  double first_ = 1;
  double further_ = 1;
  // Sums, over the passes, of products of the first row's share x, the further rows' share y and
  // the time t, each as a fraction of the curve's price.
  double xx_ = 0, xy_ = 0, yy_ = 0, xt_ = 0, yt_ = 0;
};

}  // namespace redraft
