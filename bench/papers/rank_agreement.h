#pragma once

#include <optional>
#include <span>

namespace redraft {

// Kendall's tau-b of two orders of the same things: 1 the same order, -1 the opposite. Ties count
// as in Kendall (1945). Nothing where one of the two has no order: fewer than two things, or all
// alike. `a` and `b` have the same length, and no value that is not a number.
std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace redraft
