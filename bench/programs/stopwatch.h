#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "support/seconds_since.h"

namespace redraft {

// Seconds that `work` takes by the wall clock.
template <typename Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return seconds_since(start);
}

// 0.5 is the median; `times` is not empty.
inline double quantile(std::vector<double> times, double part) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
}

}  // namespace redraft
