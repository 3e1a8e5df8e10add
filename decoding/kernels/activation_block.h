#pragma once

#include <cstddef>
#include <cstdint>

namespace redraft::kernels {

// 32 activations of one row: values are quants[i] * scale, |quants[i]| <= 127.
struct ActivationBlock {
  std::int8_t quants[32];
  float scale;
  float
      scaled_sum;  // scale * sum of quants: what a weight's minimum or constant is multiplied with
  std::int32_t
      offsets[2];  // -32 * sum of each half: what unsigned weight codes start from instead of 0
};
// A block whose largest magnitude is below this is all zeros. A block with a NaN or an infinity has
// a NaN as scale.
inline constexpr float kLeastMagnitude = 1e-30f;
static_assert(sizeof(ActivationBlock) == 48);

// Rows stand in groups of eight, [group][block][row of the group]: a kernel reaches all rows of a
// group with constant offsets from one pointer. The last group may have fewer rows.
inline constexpr int kRowGroup = 8;

inline int block_count(int k) { return (k + 31) / 32; }
inline int rows_in_group(int rows, int group) {
  return rows - group * kRowGroup < kRowGroup ? rows - group * kRowGroup : kRowGroup;
}
inline std::size_t group_offset(int group, int k) {  // in blocks
  return static_cast<std::size_t>(group) * kRowGroup * static_cast<std::size_t>(block_count(k));
}

}  // namespace redraft::kernels
