#pragma once

#include <optional>
#include <vector>

#include "decoding/cost_curve.h"

namespace redraft {

// Compares a cost curve with the passes that were timed since it was taken: the last hundred.
class CostCheck {
 public:
  static constexpr int kPasses = 100;

  // Forgets all passes: they were compared with another curve.
  void restart() { passes_.clear(), next_ = 0; }
  // `curve` is the same until restart().
  void measured(const CostCurve& curve, int rows, int context, double seconds);
  bool full() const { return static_cast<int>(passes_.size()) == kPasses; }
  // Whether at least half of a hundred passes took a time that is not at all the curve's. A few
  // passes that something else interrupted prove nothing.
  bool disagrees() const;

  // What the first row and each further one took, as multiples of the curve's.
  struct Factors {
    double first = 1;
    double further = 1;
  };
  // Fitted to a hundred passes, none before. Passes far from the fit hardly move it.
  std::optional<Factors> factors() const;

 private:
  struct Pass {
    double first_share;  // of the first row in the curve's price
    double time;         // as a multiple of that price
  };
  std::vector<Pass> passes_;  // a ring
  int next_ = 0;
};

}  // namespace redraft
