#include "tuning/training_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tuning/random_stream.h"

namespace redraft {
namespace {

// Streams of the run's seed, disjoint from those of the adapters' initial numbers, which count from
// 0.
constexpr std::uint64_t kOrder = std::uint64_t{1} << 40;
constexpr std::uint64_t kDropout = std::uint64_t{2} << 40;

}  // namespace

std::vector<std::size_t> TrainingPlan::order_of(int epoch) const {
  return RandomStream(seed, kOrder + static_cast<std::uint64_t>(epoch))
      .permutation(static_cast<std::size_t>(examples));
}

std::vector<std::size_t> TrainingPlan::batch_of(int step) const {
  const std::vector<std::size_t> order = order_of(step / steps_per_epoch());
  const int first = step % steps_per_epoch() * batch;
  return {order.begin() + first, order.begin() + std::min(first + batch, examples)};
}

double TrainingPlan::rate_of(int step) const {
  if (step < warmup) return learning_rate * step / warmup;
  const double done = static_cast<double>(step - warmup) / std::max(1, steps - warmup);
  return learning_rate * std::max(0.0, 0.5 * (1 + std::cos(std::numbers::pi * done)));
}

std::uint64_t TrainingPlan::dropout_seed(int step, int place) const {
  return RandomStream(seed, kDropout + static_cast<std::uint64_t>(step))
      .bits(static_cast<std::uint64_t>(place));
}

}  // namespace redraft
