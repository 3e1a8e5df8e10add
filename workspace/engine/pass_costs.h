#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "decoding/cost_check.h"
#include "decoding/cost_curve.h"
#include "decoding/language_model.h"

namespace redraft {

// How a cost curve came to differ from the one that was found.
enum class CostChange {
  kCorrected,   // by the passes that were timed: a better one to begin with the next time
  kThrownAway,  // likewise, but so much that it should be measured again as soon as possible
  kMeasured     // again
};

// The cost curve of an engine's target, from the first one on: decodes tell what their passes took,
// and an idle moment serves to measure again what was measured in a busy one. It decides how fast a
// decode is and never what it writes.
class PassCosts {
 public:
  using Find = std::function<CostCurve(LanguageModel&)>;
  using Keep = std::function<void(const CostCurve&, CostChange)>;
  // `find` may be empty: the curve is measured. Without `keep` the first curve stays as it is, and
  // so does one that was not measured on this machine. `wall_clock`: see CostCurve::Measuring.
  PassCosts(Find find, Keep keep, std::function<double()> wall_clock = {})
      : find_(std::move(find)), keep_(std::move(keep)), wall_clock_(std::move(wall_clock)) {}

  // The reference stays valid; what it refers to changes when a curve is thrown away or measured
  // again. It does not change for less, because decoders follow the machine by themselves
  // (PassPace).
  const CostCurve& curve(LanguageModel& model);
  void measured(int rows, int context, double seconds);
  // Draws the conclusions from the last hundred passes, before a decode: a curve with which they
  // disagree is thrown away, and until it is measured again its correction takes its place; a
  // smaller correction is kept for the next start.
  void correct();
  // Whether the curve was measured in a busy moment or thrown away, and measuring it again has not
  // been tried too often already.
  bool wants_measurement() const;
  // The same, but true only once until measure_again(): whoever is told so arranges for that.
  bool ask_for_measurement() { return wants_measurement() && !std::exchange(asked_, true); }
  // See CostCurve::Measuring::go_on. A measurement in a moment that is still busier than that of
  // the curve is worth nothing.
  void measure_again(LanguageModel& model, const std::function<bool()>& go_on);

 private:
  bool may_change() const { return curve_ && keep_ && curve_->measured_here(); }
  void change(CostCurve curve, CostChange how);

  Find find_;
  Keep keep_;
  std::function<double()> wall_clock_;
  std::optional<CostCurve> curve_;
  CostCheck check_;
  int passes_ = 0;        // since the curve, or a correction of it, was last kept
  int measurements_ = 0;  // in idle moments
  bool asked_ = false;
};

}  // namespace redraft
