#pragma once

#include <array>
#include <functional>
#include <stop_token>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/kernels/machine_peak.h"
#include "decoding/language_model.h"
#include "decoding/pass_profile.h"

namespace redraft {

// What `redraft bench cost` is to measure.
struct CostPlan {
  std::vector<int> rows;      // ascending, at least 1 each; one row is measured in any case
  std::vector<int> contexts;  // ascending; context + rows within the model's context length
  int samples = 5;            // of each point, taken while the machine was quiet
  double time_limit = 300;    // seconds after which what is there has to do
};

// One pass: so many rows on top of so many tokens.
struct CostPoint {
  int rows = 0;
  int context = 0;
  double seconds = 0;  // wall time: the median of the quiet samples, or the least if there are none
  bool quiet = false;
  int samples = 0;   // that `seconds` comes from
  double ratio = 0;  // to one row on the same context
  PassWork work{};
  double roofline_fraction = 0;             // the least possible time by that of the pass
  double linears_fraction = 0;              // of the int8 peak, in the quantised linears alone
  std::array<double, kPassParts> shares{};  // of the time, by PassPart; zeros where unknown
};

// Rows on one context as a straight line.
struct CostLine {
  int context = 0;
  double one_row = 0;      // seconds
  double further_row = 0;  // seconds, on the average up to the most rows
  // How many further rows one pass of one row is worth: no draft, however good, makes decoding more
  // times as fast.
  double bound() const { return one_row / further_row; }
};

struct CostReport {
  kernels::MachinePeak peak{};
  std::vector<CostPoint> points;  // by context, then by rows
  std::vector<CostLine> lines;    // of the contexts that have more than one row count
  bool interrupted = false;
  bool quiet() const;
  CostCurve curve() const;
};

// The least seconds in which a machine with that peak can do it.
double roofline_seconds(const PassWork& work, const kernels::MachinePeak& peak);

struct CostProgress {
  double done = 0;          // 0 to 1
  double seconds_left = 0;  // at this pace, within the limit
  bool quiet = true;        // whether the machine was, when it was last asked
};

// Times verification passes turn by turn, so that a slow moment of the machine touches all points
// alike, and repeats what was timed while the peak was out of reach. `progress` is called every
// fraction of a second; `stop` is heeded between passes. Runs on the thread that drives the model's
// pool, which is the probe's too.
CostReport measure_cost(LanguageModel& model, kernels::MachineProbe& probe, const CostPlan& plan,
                        const std::function<void(const CostProgress&)>& progress,
                        const std::stop_token& stop);

}  // namespace redraft
