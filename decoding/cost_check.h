#pragma once

#include <optional>
#include <vector>

#include "decoding/cost_curve.h"

namespace redraft {

// Compares a cost curve with the last hundred passes that were timed after it was measured.
class CostCheck {
 public:
  static constexpr int kPasses = 100;

  // Forgets all passes, because they were compared with another curve.
  void restart() { passes_.clear(), next_ = 0; }
  // `curve` stays the same until restart().
  void measured(const CostCurve& curve, int rows, int context, double seconds);
  bool full() const { return static_cast<int>(passes_.size()) == kPasses; }
  // Whether at least half of a hundred passes took a time far from the curve's. A few passes that
  // something else interrupted prove nothing.
  bool disagrees() const;

  // How long the first row and each further row took, as multiples of the curve's prices.
  struct Factors {
    double first = 1;
    double further = 1;
  };
  // Fitted to a hundred passes; nullopt before there are that many. Outliers hardly move the fit.
  std::optional<Factors> factors() const;

 private:
  struct Pass {
    double first_share;  // the first row's share of the pass's price on the curve
    double time;         // the measured time as a multiple of that price
  };
  std::vector<Pass> passes_;  // a ring
  int next_ = 0;
};

}  // namespace redraft
