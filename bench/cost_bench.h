#pragma once

#include <array>
#include <functional>
#include <stop_token>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/kernels/machine_peak.h"
#include "decoding/language_model.h"
#include "decoding/model_powers.h"
#include "decoding/pass_profile.h"

namespace redraft {

// The parameters of `redraft bench cost`.
struct CostPlan {
  std::vector<int> rows;      // ascending, each at least 1; one row is measured in any case
  std::vector<int> contexts;  // ascending; context + rows within the model's context length
  int samples = 5;            // of each point, taken while the machine was quiet
  double time_limit = 300;    // in seconds; after that the samples so far are used
};

// One kind of pass: this many rows on top of this many tokens.
struct CostPoint {
  int rows = 0;
  int context = 0;
  // Wall time: the median of the quiet samples, or the fastest sample if none was quiet.
  double seconds = 0;
  bool quiet = false;
  int samples = 0;   // on which `seconds` is based
  double ratio = 0;  // to one row on the same context
  PassWork work{};
  double roofline_fraction = 0;  // the minimum possible time divided by the measured time
  double linears_fraction = 0;   // share of the int8 peak reached in the quantised linear layers
  std::array<double, kPassParts> shares{};  // of the time, by PassPart; zeros where unknown
};

// The cost of rows on one context as a straight line.
struct CostLine {
  int context = 0;
  double one_row = 0;      // seconds
  double further_row = 0;  // seconds, averaged up to the largest row count
  // How many further rows cost as much as one pass of one row (B): no draft, however good, makes
  // decoding faster by more than this factor.
  double bound() const { return one_row / further_row; }
};

struct CostReport {
  kernels::MachinePeak peak{};
  std::vector<CostPoint> points;  // by context, then by rows
  std::vector<CostLine> lines;    // for the contexts with more than one row count
  bool interrupted = false;
  bool quiet() const;
  // The int8 peak for this model's mix of code widths, in 10^9 multiply-adds per second.
  double mixed_gmacs() const;
  // A point on a quiet machine that took less than the minimum possible time, which shows that the
  // peak is wrong; or null. Only counts memory reads that no cache can serve.
  const CostPoint* beyond_the_peak() const;
  CostCurve curve() const;
};

// The minimum time in which a machine with that peak can do the work.
double roofline_seconds(const PassWork& work, const kernels::MachinePeak& peak);

struct CostProgress {
  double done = 0;          // 0 to 1
  double seconds_left = 0;  // at this pace, within the limit
  bool quiet = true;        // whether the machine was quiet at the last check
};

// Times verification passes in turn, so that a slow moment of the machine affects all points alike,
// and repeats those that were timed while the peak was out of reach. `progress` is called every
// fraction of a second; `stop` is checked between passes. Runs on the thread that drives the
// model's pool, which is also the probe's.
CostReport measure_cost(LanguageModel& model, kernels::MachineProbe& probe, const CostPlan& plan,
                        const std::function<void(const CostProgress&)>& progress,
                        const std::stop_token& stop);

}  // namespace redraft
