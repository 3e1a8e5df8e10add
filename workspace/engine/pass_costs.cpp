#include "workspace/engine/pass_costs.h"

#include <cmath>

#include "support/trace/trace.h"

namespace redraft {
namespace {

// A smaller correction is not worth a file.
constexpr double kMinCorrection = 0.05;
// On a machine that is never quiet.
constexpr int kMaxMeasurements = 3;
// Of a curve that was thrown away: any measurement is better.
constexpr double kThrownAwayUnrest = 10;

bool matters(double factor) { return std::abs(factor - 1) > kMinCorrection; }

}  // namespace

const CostCurve& PassCosts::curve(LanguageModel& model) {
  if (!curve_) {
    const Span span("price passes");
    curve_ = find_ ? find_(model) : CostCurve::measure(model, {.wall_clock = wall_clock_});
  }
  return *curve_;
}

void PassCosts::measured(int rows, int context, double seconds) {
  if (!may_change()) return;
  check_.measured(*curve_, rows, context, seconds);
  ++passes_;
}

void PassCosts::correct() {
  if (!may_change() || passes_ < CostCheck::kPasses) return;
  const std::optional<CostCheck::Factors> factors = check_.factors();
  if (!factors) return;
  CostCurve corrected = curve_->scaled(factors->first, factors->further);
  if (check_.disagrees())
    return change(corrected.with_unrest(kThrownAwayUnrest), CostChange::kThrownAway);
  passes_ = 0;
  if (matters(factors->first) || matters(factors->further))
    keep_(corrected, CostChange::kCorrected);
}

bool PassCosts::wants_measurement() const {
  return may_change() && measurements_ < kMaxMeasurements &&
         (!curve_->quiet() || check_.disagrees());
}

void PassCosts::measure_again(LanguageModel& model, const std::function<bool()>& go_on) {
  asked_ = false;
  if (!wants_measurement()) return;
  const Span span("price passes again");
  CostCurve again = CostCurve::measure(model, {.go_on = go_on, .wall_clock = wall_clock_});
  if (again.points().empty()) return;  // ended: another idle moment will come
  ++measurements_;
  if (check_.disagrees() || again.unrest() < curve_->unrest())
    change(std::move(again), CostChange::kMeasured);
}

void PassCosts::change(CostCurve curve, CostChange how) {
  *curve_ = std::move(curve);
  check_.restart();
  passes_ = 0;
  keep_(*curve_, how);
}

}  // namespace redraft
