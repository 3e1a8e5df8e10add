#pragma once

#include <cstddef>
#include <cstdint>

namespace redraft::kernels {

inline constexpr int kBlock = 32;
inline constexpr int kSuperblock = 256;
inline constexpr int kSuperblockBlocks = kSuperblock / kBlock;

// 256 activations of one row in 8 blocks of 32; the last superblock of a row is padded with zeros.
// Activation i has the value quants[i] * scales[i / 32], |quants[i]| <= 127. Weights with an offset
// or a minimum need the sums of the activations. The size is a whole number of cache lines, and
// each kind of format touches few of them.
struct ActivationSuperblock {
  std::int8_t quants[kSuperblock];
  float scales[kSuperblockBlocks];
  // scaled_sums[i] is about coarse_sums[i] * coarse_scale, to 16 bits of the superblock's largest.
  // With that, the minima of all blocks of a K format take integer arithmetic. The rounding is far
  // smaller than that of the summed quants.
  std::int16_t coarse_sums[kSuperblockBlocks];
  float coarse_scale;
  float unused[3];
  // -32 * sum of each 16 quants. For the 256-bit kernels in two parts of 16 bits: the low part for
  // the quants that maddubs adds up in the even lanes (0, 1, 4, 5, ...), the high part for those in
  // the odd lanes.
  std::int32_t offsets[16];
  float scaled_sums[kSuperblockBlocks];  // scales[i] * sum of 32 quants
  std::int16_t sums[16];                 // of each 16 quants, for minima of 16 weights
};
static_assert(sizeof(ActivationSuperblock) == 448);

// A block whose largest magnitude is below this is all zeros. The scale of a block with a NaN or an
// infinity is NaN.
inline constexpr float kMinMagnitude = 1e-30f;
inline constexpr int kMaxCoarseSum = 32767;

// Number of neighbouring activations that share a scale. K formats exist only where k is a whole
// number of superblocks, and there two blocks share a scale: the kernels add up 64 weights in
// integers before they convert to floats. Elsewhere each block keeps its own scale, which is a
// little more accurate.
constexpr int scale_span(int k) { return k % kSuperblock == 0 ? 2 * kBlock : kBlock; }

// Rows are stored in groups of eight, [group][superblock][row of the group]: within a group, a
// kernel reaches every row at a constant distance. The last group may have fewer rows.
inline constexpr int kRowGroup = 8;

constexpr int block_count(int k) { return (k + kBlock - 1) / kBlock; }
constexpr int superblock_count(int k) { return (k + kSuperblock - 1) / kSuperblock; }
constexpr int rows_in_group(int rows, int group) {
  return rows - group * kRowGroup < kRowGroup ? rows - group * kRowGroup : kRowGroup;
}
// In superblocks.
constexpr std::size_t group_offset(int group, int k) {
  return static_cast<std::size_t>(group) * kRowGroup *
         static_cast<std::size_t>(superblock_count(k));
}

}  // namespace redraft::kernels
