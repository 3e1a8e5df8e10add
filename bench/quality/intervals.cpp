#include "bench/quality/intervals.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace redraft {
namespace {

constexpr double kNormal = 1.959963984540054;  // 97.5th percentile of the normal distribution
constexpr int kResamples = 2000;
constexpr std::uint64_t kSeed = 2026;

// Uniform in [0, n). The standard's distributions differ from library to library.
int below(std::mt19937_64& random, int n) {
  return static_cast<int>(((random() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
}

double at_percentile(const std::vector<double>& sorted, double share) {
  const double last = static_cast<double>(sorted.size()) - 1;
  return sorted[static_cast<std::size_t>(std::lround(share * last))];
}

}  // namespace

Interval wilson(int successes, int n) {
  assert(n > 0 && 0 <= successes && successes <= n);
  const double p = static_cast<double>(successes) / n;
  const double z2 = kNormal * kNormal / n;
  const double centre = (p + z2 / 2) / (1 + z2);
  const double half = kNormal * std::sqrt(p * (1 - p) / n + z2 / (4 * n)) / (1 + z2);
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

std::optional<Interval> bootstrap(int n,
                                  const std::function<std::optional<double>(Weights)>& statistic) {
  assert(n > 0);
  std::mt19937_64 random(kSeed);
  std::vector<int> weights(static_cast<std::size_t>(n));
  std::vector<double> values;
  for (int i = 0; i < kResamples; ++i) {
    std::ranges::fill(weights, 0);
    for (int draw = 0; draw < n; ++draw) ++weights[static_cast<std::size_t>(below(random, n))];
    if (const std::optional<double> value = statistic(weights)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return Interval{at_percentile(values, 0.025), at_percentile(values, 0.975)};
}

double mcnemar(int better, int worse) {
  const int n = better + worse;
  double tail = 0;
  for (int k = 0; k <= std::min(better, worse); ++k) {
    // C(n, k) / 2^n; the logarithm does not overflow.
    tail += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

}  // namespace redraft
