#pragma once

#include <functional>
#include <optional>
#include <span>

namespace redraft {

// Where a figure would lie if other tasks of the same kind had been drawn: 95 %.
struct Interval {
  double low = 0, high = 0;
};

// Wilson's score interval of a share, `successes` of `n` (at least 1).
Interval wilson(int successes, int n);

// How often a resample drew each of n tasks.
using Weights = std::span<const int>;
// A percentile bootstrap: n tasks (at least 1) are drawn again from n, 2,000 times, always by the
// same random numbers; `statistic` of each resample, which is nothing where it is not defined. The
// ends are the 2.5th and the 97.5th percentile of those that are. Nothing: none is.
std::optional<Interval> bootstrap(int n,
                                  const std::function<std::optional<double>(Weights)>& statistic);

// Two-sided exact McNemar test: how probable a split at least as uneven as `better` to `worse` is
// if both are equally likely. 1 if there is nothing to tell apart.
double mcnemar(int better, int worse);

}  // namespace redraft
