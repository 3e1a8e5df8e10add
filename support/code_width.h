#pragma once

#include <array>
#include <cstddef>

// Numbers of multiply-adds by the bits of the weights' codes, because the best sequence of
// instructions depends on the bits.
namespace redraft {

inline constexpr int kCodeWidths[] = {4, 5, 6, 8};
// One number for each code width.
using PerCodeWidth = std::array<double, 4>;

// The index of the number for codes of `bits` bits.
constexpr std::size_t code_width_index(int bits) {
  return bits == 8 ? 3 : static_cast<std::size_t>(bits - 4);
}

constexpr double over_all_widths(const PerCodeWidth& values) {
  return values[0] + values[1] + values[2] + values[3];
}

// The seconds that `macs` multiply-adds take at `gmacs` * 10^9 per second; widths without work are
// ignored.
constexpr double seconds_at(const PerCodeWidth& macs, const PerCodeWidth& gmacs) {
  double seconds = 0;
  for (std::size_t i = 0; i < macs.size(); ++i) seconds += macs[i] > 0 ? macs[i] / gmacs[i] : 0;
  return seconds / 1e9;
}

}  // namespace redraft
