#pragma once

#include <functional>
#include <optional>
#include <span>

namespace redraft {

// The range of a figure if other tasks of the same kind had been drawn: 95 %.
struct Interval {
  double low = 0, high = 0;
};

// Wilson's score interval of a share, `successes` of `n` (at least 1).
Interval wilson(int successes, int n);

// How often a resample drew each of n tasks.
using Weights = std::span<const int>;
// A percentile bootstrap: draws n tasks (at least 1) from n, 2,000 times, always with the same
// random numbers, and computes `statistic` of each resample, which is nullopt where it is
// undefined. The ends are the 2.5th and the 97.5th percentile of the defined ones. nullopt: there
// are none.
std::optional<Interval> bootstrap(int n,
                                  const std::function<std::optional<double>(Weights)>& statistic);

// Two-sided exact McNemar test: the probability of a split at least as uneven as `better` to
// `worse` if both are equally likely. 1 if both are 0.
double mcnemar(int better, int worse);

}  // namespace redraft
