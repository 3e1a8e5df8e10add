#include "bench/cost_bench.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <utility>

#include "decoding/draft_tree.h"
#include "decoding/kv_cache.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;

// Seconds of passes between two checks whether the machine is quiet.
constexpr double kProbeInterval = 0.25;
struct Sample {
  double seconds;
  std::array<double, kPassParts> parts;
};

// All samples of one point.
struct Timed {
  int rows;
  KvCache* cache;
  std::vector<Sample> quiet;
  std::vector<Sample> busy;
  std::vector<Sample> unjudged;  // since the machine was last known to be quiet

  void judge(bool was_quiet) {
    std::vector<Sample>& to = was_quiet ? quiet : busy;
    to.insert(to.end(), unjudged.begin(), unjudged.end());
    unjudged.clear();
  }
};

// One verification pass; leaves the cache as it was.
Sample time_pass(LanguageModel& model, KvCache& cache, int rows) {
  const int length = cache.length();
  std::vector<TokenId> tokens(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) tokens[i] = (length + 37 * i) % model.vocabulary_size();
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  PassProfile profile;
  PassMeasuring* const measuring = model.measuring();
  if (measuring) measuring->set_profile(&profile);
  const Clock::time_point start = Clock::now();
  model.forward(std::span(tokens).first(1), draft, cache, PredictionNeeds{});
  Sample sample{.seconds = seconds_since(start), .parts = {}};
  if (measuring) measuring->set_profile(nullptr);
  cache.truncate(length);
  for (int part = 0; part < kPassParts; ++part)
    sample.parts[part] = profile.seconds(static_cast<PassPart>(part));
  return sample;
}

class CostBench {
 public:
  CostBench(LanguageModel& model, kernels::MachineProbe& probe, const CostPlan& plan);
  // False if stopped.
  bool run(const std::function<void(const CostProgress&)>& progress, const std::stop_token& stop);
  CostReport report() const;

 private:
  bool wants(const Timed& timed) const {
    return static_cast<int>(timed.quiet.size() + timed.unjudged.size()) < plan_.samples;
  }
  bool sweep(const std::function<void(const CostProgress&)>& progress, const std::stop_token& stop);
  void judge();
  CostProgress progress() const;
  CostPoint summarize(const Timed& timed) const;

  LanguageModel& model_;
  kernels::MachineProbe& probe_;
  const CostPlan& plan_;
  std::vector<std::unique_ptr<KvCache>> caches_;  // one per context
  std::vector<Timed> timed_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point judged_;
  bool was_quiet_ = true;
};

CostBench::CostBench(LanguageModel& model, kernels::MachineProbe& probe, const CostPlan& plan)
    : model_(model), probe_(probe), plan_(plan) {
  std::vector<int> rows = plan.rows;
  if (rows.empty() || rows.front() != 1) rows.insert(rows.begin(), 1);
  for (const int context : plan.contexts) {
    caches_.push_back(model.filled_cache(context + rows.back(), context));
    for (const int count : rows) timed_.push_back({count, caches_.back().get(), {}, {}, {}});
  }
}

bool CostBench::run(const std::function<void(const CostProgress&)>& progress,
                    const std::stop_token& stop) {
  // Pays for what only the first pass does: buffers, page tables.
  for (const auto& cache : caches_) time_pass(model_, *cache, 1);
  if (stop.stop_requested()) return false;
  time_pass(model_, *caches_.front(), timed_.back().rows);
  judge();
  const auto unfinished = [this](const Timed& timed) { return wants(timed); };
  while (std::any_of(timed_.begin(), timed_.end(), unfinished)) {
    if (!sweep(progress, stop)) return false;
    if (std::none_of(timed_.begin(), timed_.end(), unfinished)) judge();
    if (seconds_since(start_) > plan_.time_limit) break;
  }
  judge();
  return true;
}

// Takes one sample of each point that needs one.
bool CostBench::sweep(const std::function<void(const CostProgress&)>& progress,
                      const std::stop_token& stop) {
  for (Timed& timed : timed_) {
    if (!wants(timed)) continue;
    if (stop.stop_requested()) return false;
    const bool any = !timed.quiet.empty() || !timed.busy.empty() || !timed.unjudged.empty();
    if (any && seconds_since(start_) > plan_.time_limit) continue;
    timed.unjudged.push_back(time_pass(model_, *timed.cache, timed.rows));
    if (seconds_since(judged_) < kProbeInterval) continue;
    judge();
    if (progress) progress(this->progress());
  }
  return true;
}

// Passes timed between two quiet checks were timed on a quiet machine.
void CostBench::judge() {
  const bool quiet = probe_.is_quiet();
  for (Timed& timed : timed_) timed.judge(quiet && was_quiet_);
  was_quiet_ = quiet;
  judged_ = Clock::now();
}

CostProgress CostBench::progress() const {
  double done = 0;
  double all = 0;
  for (const Timed& timed : timed_) {
    const double price = 8 + timed.rows;  // roughly what a pass costs, in rows
    all += price * plan_.samples;
    done += price * std::min<double>(plan_.samples, static_cast<double>(timed.quiet.size()));
  }
  const double elapsed = seconds_since(start_);
  const double limit = std::max(0.0, plan_.time_limit - elapsed);
  return {.done = done / all,
          .seconds_left = done > 0 ? std::min(limit, elapsed * (all - done) / done) : limit,
          .quiet = was_quiet_};
}

CostPoint CostBench::summarize(const Timed& timed) const {
  CostPoint point{.rows = timed.rows, .context = timed.cache->length()};
  point.quiet = !timed.quiet.empty();
  std::vector<Sample> samples = point.quiet ? timed.quiet : timed.busy;
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.seconds < b.seconds; });
  const Sample& typical = samples[point.quiet ? samples.size() / 2 : 0];
  point.samples = point.quiet ? static_cast<int>(samples.size()) : 1;
  point.seconds = typical.seconds;
  double sum = 0;
  for (const double part : typical.parts) sum += part;
  for (int part = 0; part < kPassParts && sum > 0; ++part)
    point.shares[part] = typical.parts[part] / sum;
  if (PassMeasuring* const measuring = model_.measuring())
    point.work = measuring->work(point.rows, point.context);
  point.roofline_fraction = roofline_seconds(point.work, probe_.peak()) / point.seconds;
  double linears = 0;
  for (const PassPart part : {PassPart::kQueryKeyValue, PassPart::kAttentionOutput,
                              PassPart::kGateUp, PassPart::kDown, PassPart::kHead})
    linears += point.shares[static_cast<std::size_t>(part)];
  if (linears > 0) {
    point.linears_fraction =
        seconds_at(point.work.integer_macs, probe_.peak().int8_gmacs) / (linears * point.seconds);
  }
  return point;
}

CostReport CostBench::report() const {
  CostReport report;
  report.peak = probe_.peak();
  for (const Timed& timed : timed_) {
    CostPoint point = summarize(timed);
    // The first point of a context has one row.
    const bool first = report.points.empty() || report.points.back().context != point.context;
    if (first) report.lines.push_back({point.context, point.seconds, 0});
    CostLine& line = report.lines.back();
    point.ratio = point.seconds / line.one_row;
    if (!first) line.further_row = (point.seconds - line.one_row) / (point.rows - 1);
    report.points.push_back(point);
  }
  std::erase_if(report.lines, [](const CostLine& line) { return line.further_row <= 0; });
  std::erase_if(report.points, [this](const CostPoint& point) {
    return !std::binary_search(plan_.rows.begin(), plan_.rows.end(), point.rows);
  });
  return report;
}

}  // namespace

bool CostReport::quiet() const {
  return std::all_of(points.begin(), points.end(), [](const CostPoint& p) { return p.quiet; });
}

double CostReport::mixed_gmacs() const {
  if (points.empty()) return peak.int8_gmacs[0];
  const PerCodeWidth& macs = points.front().work.integer_macs;
  const double seconds = seconds_at(macs, peak.int8_gmacs);
  return seconds > 0 ? over_all_widths(macs) / seconds / 1e9 : peak.int8_gmacs[0];
}

const CostPoint* CostReport::beyond_the_peak() const {
  const auto at = std::ranges::find_if(points, [this](const CostPoint& point) {
    const bool cached = point.work.bytes < kernels::kProbedBytes;  // perhaps
    return point.quiet && (point.linears_fraction > 1 || (!cached && point.roofline_fraction > 1));
  });
  return at == points.end() ? nullptr : &*at;
}

CostCurve CostReport::curve() const {
  std::vector<CostCurve::Point> out;
  for (const CostPoint& point : points) out.push_back({point.rows, point.seconds, point.context});
  return CostCurve(std::move(out));
}

double roofline_seconds(const PassWork& work, const kernels::MachinePeak& peak) {
  // The work outside of quantised linear layers is attention, in 16-bit integers or in floats.
  const double float_gmacs = std::max({peak.f32_gmacs, peak.bf16_gmacs, peak.int16_gmacs});
  return std::max(
      work.bytes / peak.bandwidth_gbps / 1e9,
      seconds_at(work.integer_macs, peak.int8_gmacs) + work.float_macs / float_gmacs / 1e9);
}

CostReport measure_cost(LanguageModel& model, kernels::MachineProbe& probe, const CostPlan& plan,
                        const std::function<void(const CostProgress&)>& progress,
                        const std::stop_token& stop) {
  CostBench bench(model, probe, plan);
  if (bench.run(progress, stop)) return bench.report();
  CostReport none;
  none.interrupted = true;
  return none;
}

}  // namespace redraft
