#include "bench/papers/rank_agreement.h"

#include <cassert>
#include <cmath>

namespace redraft {
namespace {

int sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

}  // namespace

std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  int agreement = 0;
  int ordered_in_a = 0;
  int ordered_in_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int in_a = sign(a[i] - a[j]);
      const int in_b = sign(b[i] - b[j]);
      agreement += in_a * in_b;
      ordered_in_a += in_a * in_a;
      ordered_in_b += in_b * in_b;
    }
  }
  if (ordered_in_a == 0 || ordered_in_b == 0) return std::nullopt;
  return agreement / std::sqrt(static_cast<double>(ordered_in_a) * ordered_in_b);
}

}  // namespace redraft
