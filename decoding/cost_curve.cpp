#include "decoding/cost_curve.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "decoding/language_model.h"

namespace redraft {
namespace {

// The points that shape the curve, always measured, and those that only refine it.
constexpr int kRows[] = {1, 4, 8, 16};
constexpr int kMoreRows[] = {2, 32, 64};
constexpr double kBudget = 0.6;  // seconds after which nothing further is started
constexpr int kRounds = 3;       // the least of so many timings counts
// Tokens below the measured rows; few, for they take time too, and attention is a small part.
constexpr int kScratchContext = 8;

// One verification pass of `tokens.size()` rows; leaves the cache as it was.
double time_pass(LanguageModel& model, KvCache& cache, std::span<const TokenId> tokens) {
  const int length = cache.length();
  const DraftTree draft = DraftTree::chain(tokens.subspan(1), DraftOrigin::kOther);
  const double start = model.compute_seconds();
  model.forward(tokens.first(1), draft, cache, PredictionNeeds{});
  const double seconds = model.compute_seconds() - start;
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
  // Also warms what the first pass alone pays for.
  model.forward(std::span(tokens).first(context), DraftTree(), *cache,
                PredictionNeeds{.every_row = false});

  std::map<int, double> least;
  const auto time_rows = [&](int rows) {
    if (rows > capacity - context) return;
    const double seconds = time_pass(model, *cache, std::span(tokens).first(rows));
    const auto [entry, fresh] = least.try_emplace(rows, seconds);
    if (!fresh) entry->second = std::min(entry->second, seconds);
  };
  // Whole rounds: a busy moment of the machine then spoils one timing of each row count.
  const double start = model.compute_seconds();
  for (int round = 0; round < kRounds; ++round) {
    for (const int rows : kRows) {
      // Two points make a curve: a slow machine is not made to wait for more.
      if (least.size() < 2 || model.compute_seconds() - start < kBudget) time_rows(rows);
    }
  }
  for (const int rows : kMoreRows) {
    if (model.compute_seconds() - start < kBudget) time_rows(rows);
  }
  std::vector<Point> points;
  points.reserve(least.size());
  for (const auto& [rows, seconds] : least) points.push_back({rows, seconds});
  // Noise only ever adds time, and fewer rows never cost more: what is above a later point is
  // noise.
  for (std::size_t i = points.size() - 1; i-- > 0;) {
    points[i].seconds = std::min(points[i].seconds, points[i + 1].seconds);
  }
  return CostCurve(std::move(points));
}

double CostCurve::seconds(int rows) const {
  if (points_.empty()) return 1;
  if (rows <= points_.front().rows) return points_.front().seconds;
  if (points_.size() == 1) return points_[0].seconds * rows / points_[0].rows;
  auto upper = std::find_if(points_.begin(), points_.end(),
                            [rows](const Point& point) { return point.rows >= rows; });
  const bool beyond = upper == points_.end();
  if (beyond) --upper;
  const Point& low = *(upper - 1);
  double slope = (upper->seconds - low.seconds) / (upper->rows - low.rows);
  // Beyond the last point rows are no cheaper than they were on the whole, should the last two say
  // so.
  if (beyond) {
    const Point& first = points_.front();
    slope = std::max(slope, (upper->seconds - first.seconds) / (upper->rows - first.rows));
    return upper->seconds + slope * (rows - upper->rows);
  }
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
