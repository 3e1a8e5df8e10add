#include "decoding/cost_curve.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

#include "decoding/language_model.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMeasuredRows[] = {1, 2, 4, 8, 16, 32, 64};
// Tokens below the measured rows; few, for they take time too, and attention is a small part.
constexpr int kScratchContext = 8;
constexpr double kTotalBudget = 0.6;   // seconds after which no further row count is started
constexpr double kRepeatBudget = 0.1;  // seconds after which a row count is not repeated
constexpr int kMostRepeats = 3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One verification pass of `tokens.size()` rows; leaves the cache as it was.
double time_pass(LanguageModel& model, KvCache& cache, std::span<const TokenId> tokens) {
  const int length = cache.length();
  const DraftTree draft = DraftTree::chain(tokens.subspan(1), DraftOrigin::kOther);
  const auto start = Clock::now();
  model.forward(tokens.first(1), draft, cache, PredictionNeeds{});
  const double seconds = seconds_since(start);
  cache.truncate(length);
  return seconds;
}

}  // namespace

CostCurve::CostCurve(std::vector<Point> points) : points_(std::move(points)) {
  assert(!points_.empty() && points_.front().rows >= 1);
}

CostCurve CostCurve::measure(LanguageModel& model) {
  const int capacity = std::min(model.context_length(), kScratchContext + 64);
  const int context = std::min(kScratchContext, capacity / 2);
  const auto cache = model.new_cache(capacity);
  std::vector<TokenId> tokens(capacity);
  for (int i = 0; i < capacity; ++i) tokens[i] = i % model.vocabulary_size();
  model.forward(std::span(tokens).first(context), DraftTree(), *cache,
                PredictionNeeds{.every_row = false});

  std::vector<Point> points;
  const auto start = Clock::now();
  time_pass(model, *cache, std::span(tokens).first(1));  // warms what the first pass alone pays for
  for (const int rows : kMeasuredRows) {
    if (rows > capacity - context || (rows > 1 && seconds_since(start) > kTotalBudget)) break;
    const auto row_start = Clock::now();
    double best = time_pass(model, *cache, std::span(tokens).first(rows));
    for (int i = 1; i < kMostRepeats && seconds_since(row_start) < kRepeatBudget; ++i) {
      best = std::min(best, time_pass(model, *cache, std::span(tokens).first(rows)));
    }
    // More rows never cost less; a dip is noise, and a source would chase it.
    points.push_back({rows, points.empty() ? best : std::max(best, points.back().seconds)});
  }
  return CostCurve(std::move(points));
}

double CostCurve::seconds(int rows) const {
  if (points_.empty()) return 1;
  if (rows <= points_.front().rows) return points_.front().seconds;
  if (points_.size() == 1) return points_[0].seconds * rows / points_[0].rows;
  auto upper = std::find_if(points_.begin(), points_.end(),
                            [rows](const Point& point) { return point.rows >= rows; });
  if (upper == points_.end()) --upper;  // extrapolated along the last two
  const Point& low = *(upper - 1);
  const double slope = (upper->seconds - low.seconds) / (upper->rows - low.rows);
  return low.seconds + slope * (rows - low.rows);
}

int CostCurve::efficient_rows(int most, double tolerance) const {
  double best = seconds(1);
  for (int rows = 2; rows <= most; ++rows) best = std::min(best, seconds(rows) / rows);
  int rows = 1;
  while (rows < most && seconds(rows) / rows > best * (1 + tolerance)) ++rows;
  return rows;
}

int CostCurve::rows_within(double budget, int least, int most) const {
  int rows = least;
  while (rows * 2 <= most && seconds(rows * 2) <= budget) rows *= 2;
  return rows;
}

}  // namespace redraft
