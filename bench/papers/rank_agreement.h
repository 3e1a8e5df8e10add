#pragma once

#include <optional>
#include <span>

namespace redraft {

// Kendall's tau-b of two orders of the same items: 1 for the same order, -1 for the opposite. Ties
// count as in Kendall (1945). nullopt if one of the two has no order: fewer than two items, or all
// equal. `a` and `b` have the same length, and no NaN.
std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b);

}  // namespace redraft
