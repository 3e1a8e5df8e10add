// How passes are priced from a few timings
//
// A pass of one row reads all weights. Further rows share that reading, so they are cheap until the
// arithmetic takes longer than the reading. On a CPU that happens after a few rows, on a GPU after
// many. Attention adds a cost in proportion to the context. The curve models none of this: a few
// row counts are timed on an empty and on a long context, and everything else is interpolated.
//
// An example. On an empty context passes of 1, 4, 8 and 16 rows take 50, 51, 53 and 70 ms; on 2048
// tokens passes of 1 and 8 rows take 60 and 67 ms.
//
//   6 rows, empty context: halfway between 51 and 53            52 ms
//   32 rows, empty context: 70 + 16 * (70 - 53) / 8            104 ms
//   6 rows, 2048 tokens: 60 + 5 * (67 - 60) / 7                 65 ms
//   6 rows, 1024 tokens: halfway between 52 and 65              58.5 ms
//
// The model's clock does not count the time of other programs, but they slow down a pass in other
// ways: they use the memory and the other hardware thread of a core. So each curve records how busy
// the machine was, and workspace/engine/pass_costs decides whether to measure again.

#include "decoding/cost_curve.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "decoding/language_model.h"

namespace redraft {
namespace {

// Row counts that determine the shape of the curve and are always measured, and those that only
// refine it.
constexpr int kRows[] = {1, 4, 8, 16};
constexpr int kMoreRows[] = {2, 32, 64, 128, 256};  // on a GPU additional rows cost little
constexpr double kBudget = 0.6;                     // seconds after which no further timing starts
constexpr int kRounds = 3;                          // timings per row count; the fastest counts
// Attention costs in proportion to the context, so one long context is enough to price any other.
constexpr int kLongContext = 2048;
constexpr int kLongRows[] = {1, 8, 16};
constexpr int kLongRounds = 2;
constexpr double kLongBudget = 0.4;

std::optional<double> positive_number(std::string_view text) {
  double value = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc() && rest == text.data() + text.size();
  return whole && value > 0 && value < 1e6 ? std::optional(value) : std::nullopt;
}

// Runs one verification pass of `rows` rows and leaves the cache as it was. The tokens differ,
// because equal tokens would all use the same experts of a mixture.
double time_pass(LanguageModel& model, KvCache& cache, int rows) {
  const int length = cache.length();
  std::vector<TokenId> tokens(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) tokens[i] = (length + i) % model.vocabulary_size();
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  const double start = model.compute_seconds();
  model.forward(std::span(tokens).first(1), draft, cache, PredictionNeeds{});
  const double seconds = model.compute_seconds() - start;
  cache.truncate(length);
  return seconds;
}

double system_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Times passes and records how busy the machine was meanwhile.
class Stopwatch {
 public:
  Stopwatch(LanguageModel& model, const CostCurve::Measuring& how)
      : model_(model), go_on_(how.go_on), wall_(how.wall_clock ? how.wall_clock : system_seconds) {}

  LanguageModel& model() const { return model_; }
  // Seconds of all passes on the model's clock; other work between them does not count.
  double spent() const { return spent_; }
  bool ended() const { return ended_; }
  // The fraction by which the wall clock ran ahead of the model's clock during the passes.
  double waited() const { return spent_ > 0 ? std::max(0.0, wall_spent_ / spent_ - 1) : 0; }

  // nullopt if the measurement was ended.
  std::optional<double> time(KvCache& cache, int rows) {
    ended_ = ended_ || (go_on_ && !go_on_());
    if (ended_) return {};
    const double began = wall_();
    const double seconds = time_pass(model_, cache, rows);
    wall_spent_ += wall_() - began;
    spent_ += seconds;
    return seconds;
  }

 private:
  LanguageModel& model_;
  std::function<bool()> go_on_;
  std::function<double()> wall_;
  double spent_ = 0;
  double wall_spent_ = 0;
  bool ended_ = false;
};

// The fastest timing of each row count on one context.
class Timings {
 public:
  Timings(Stopwatch& watch, int context, int max_rows)
      : watch_(watch),
        context_(context),
        cache_(watch.model().filled_cache(
            std::min(watch.model().context_length(), context + max_rows), context)) {
    cache_->remember();  // each pass is cut off again
  }

  void add(int rows) {
    if (context_ + rows > cache_->capacity()) return;
    const std::optional<double> seconds = watch_.time(*cache_, rows);
    if (seconds) all_[rows].push_back(*seconds);
  }
  std::size_t size() const { return all_.size(); }
  void append_to(std::vector<CostCurve::Point>& points) {
    for (auto& [rows, seconds] : all_) {
      std::sort(seconds.begin(), seconds.end());
      points.push_back({rows, seconds.front(), context_});
    }
  }
  // The largest fraction by which the second fastest timing of a row count exceeds its fastest. A
  // single interruption may have hit the slowest of three. Call it after append_to().
  double spread() const {
    double most = 0;
    for (const auto& [rows, seconds] : all_) {
      if (seconds.size() > 1 && seconds[0] > 0) most = std::max(most, seconds[1] / seconds[0] - 1);
    }
    return most;
  }

 private:
  Stopwatch& watch_;
  int context_;
  std::unique_ptr<KvCache> cache_;
  std::map<int, std::vector<double>> all_;
};

// Returns Timings::spread().
double measure_without_context(Stopwatch& watch, std::vector<CostCurve::Point>& points) {
  Timings timings(watch, 0, std::end(kMoreRows)[-1]);
  // The first pass pays for one-time initialisation.
  time_pass(watch.model(), *watch.model().new_cache(1), 1);
  // Whole rounds, so that a busy moment of the machine spoils only one timing of each row count.
  for (int round = 0; round < kRounds; ++round) {
    for (const int rows : kRows) {
      // Two points are enough for a curve, so a slow machine need not measure more.
      if (timings.size() < 2 || watch.spent() < kBudget) timings.add(rows);
    }
  }
  for (const int rows : kMoreRows) {
    if (watch.spent() < kBudget) timings.add(rows);
  }
  timings.append_to(points);
  return timings.spread();
}

void measure_with_context(Stopwatch& watch, std::vector<CostCurve::Point>& points) {
  const int max_rows = std::end(kLongRows)[-1];
  if (watch.model().context_length() < kLongContext + max_rows || watch.ended()) return;
  const double start = watch.spent();
  Timings timings(watch, kLongContext, max_rows);
  for (int round = 0; round < kLongRounds; ++round) {
    for (const int rows : kLongRows) {
      if (round == 0 || watch.spent() - start < kLongBudget) timings.add(rows);
    }
  }
  timings.append_to(points);
}

}  // namespace

CostCurve::CostCurve(std::vector<Point> points, bool measured_here, double unrest)
    : points_(std::move(points)), measured_here_(measured_here), unrest_(unrest) {
  std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
    return std::tie(a.context, a.rows, a.seconds) < std::tie(b.context, b.rows, b.seconds);
  });
  const auto same = [](const Point& a, const Point& b) {
    return a.context == b.context && a.rows == b.rows;
  };
  points_.erase(std::unique(points_.begin(), points_.end(), same), points_.end());
  for (std::size_t i = points_.size(); i-- > 0;) {
    assert(points_[i].rows >= 1 && points_[i].context >= 0);
    if (i + 1 < points_.size() && points_[i + 1].context == points_[i].context) {
      points_[i].seconds = std::min(points_[i].seconds, points_[i + 1].seconds);
    }
  }
  for (int i = 0; i < static_cast<int>(points_.size()); ++i) {
    if (lines_.empty() || lines_.back().context != points_[i].context) {
      lines_.push_back({points_[i].context, i, i});
    }
    lines_.back().end = i + 1;
  }
}

Result<std::vector<CostCurve::Point>> CostCurve::parse_points(std::string_view text, double unit) {
  std::vector<Point> points;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t colon = part.find(':');
    const auto rows = positive_number(part.substr(0, colon));
    const auto cost =
        colon == std::string_view::npos ? std::nullopt : positive_number(part.substr(colon + 1));
    if (!rows || !cost || *rows < 1 || *rows != static_cast<int>(*rows))
      return Error("'" + std::string(part) + "' is not ROWS:COST, as in 1:1,8:1.35,64:9.7");
    points.push_back({static_cast<int>(*rows), unit * *cost});
  }
  if (points.empty())
    return Error("no points are given; expected ROWS:COST,…, as in 1:1,8:1.35,64:9.7");
  return points;
}

CostCurve CostCurve::measure(LanguageModel& model, const Measuring& how) {
  Stopwatch watch(model, how);
  std::vector<Point> points;
  const double spread = measure_without_context(watch, points);
  measure_with_context(watch, points);
  if (watch.ended()) return {};
  return CostCurve(std::move(points), true, std::max(spread, watch.waited()));
}

CostCurve CostCurve::scaled(double first, double further) const {
  std::vector<Point> points = points_;
  for (Point& point : points) {
    const double one = seconds(1, point.context);
    point.seconds = first * one + further * (point.seconds - one);
  }
  return CostCurve(std::move(points), measured_here_, unrest_);
}

double CostCurve::seconds(int rows, int context) const {
  if (lines_.empty()) return 1;
  if (lines_.size() == 1 || context <= lines_.front().context)
    return seconds_on(lines_.front(), rows);
  auto upper = std::find_if(lines_.begin(), lines_.end(),
                            [context](const Line& line) { return line.context >= context; });
  if (upper == lines_.end()) --upper;
  const Line& low = *(upper - 1);
  const double below = seconds_on(low, rows);
  const double above = std::max(below, seconds_on(*upper, rows));
  return below + (above - below) * (context - low.context) / (upper->context - low.context);
}

double CostCurve::seconds_on(const Line& line, int rows) const {
  const Point& first = points_[line.begin];
  const Point& last = points_[line.end - 1];
  if (rows <= first.rows) return first.seconds;
  if (first.rows == last.rows) return first.seconds * rows / first.rows;
  const auto end = points_.begin() + line.end;
  auto upper = std::find_if(points_.begin() + line.begin, end,
                            [rows](const Point& point) { return point.rows >= rows; });
  if (upper != end) {
    const Point& low = *(upper - 1);
    return low.seconds +
           (upper->seconds - low.seconds) / (upper->rows - low.rows) * (rows - low.rows);
  }
  // Beyond the last point a row costs at least the average of the rows before it, even if the last
  // two points suggest less.
  const Point& before = *(end - 2);
  const double slope = std::max((last.seconds - before.seconds) / (last.rows - before.rows),
                                (last.seconds - first.seconds) / (last.rows - first.rows));
  return last.seconds + slope * (rows - last.rows);
}

int CostCurve::efficient_rows(int most, double tolerance, int context) const {
  double best = seconds(1, context);
  for (int rows = 2; rows <= most; ++rows) best = std::min(best, seconds(rows, context) / rows);
  int rows = 1;
  while (rows < most && seconds(rows, context) / rows > best * (1 + tolerance)) ++rows;
  return rows;
}

int CostCurve::tokens_read_in(double budget, int most) const {
  constexpr int kChunkRows = 64;
  const double chunk = seconds(kChunkRows);
  if (chunk <= 0) return most;
  return static_cast<int>(std::min<double>(budget / chunk * kChunkRows, most));
}

int CostCurve::rows_within(double budget, int least, int most, int context) const {
  int rows = least;
  while (rows * 2 <= most && seconds(rows * 2, context) <= budget) rows *= 2;
  return rows;
}

}  // namespace redraft
