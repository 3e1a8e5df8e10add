#pragma once

#include <cstddef>
#include <cstdint>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/weight_format.h"

// The memory layout of repacked weights; the same for every instruction set.
//
// A tile holds 16 outputs and all of k, and one kernel call reads it front to back: superblock by
// superblock of 256 k, each with its codes first and then its scales, so that all of it is one
// stream. Within 32 weights of k ("a block") codes are divided into 8 groups of 4 k. A group is 64
// bytes: 4 neighbouring k of output 0, then of output 1, and so on. This is what one dpbusd of 16
// lanes takes.
//     4 bits: two groups share 64 bytes of nibbles, the even group low, the odd one high
//     5 bits: the same, and in 64 more bytes bit g is the fifth bit of group g
//     6 bits: three of every four groups have 64 bytes each, whose top two bits hold the fourth
//             group, its low bits with the first
//     8 bits: stored unchanged.
//
// The scales follow the codes of the superblock's blocks, for 16 outputs each:
//   Q4_K, Q5_K: scales[8][16] bytes, mins[4][16][2] bytes (of two neighbouring blocks), d[16] and
//               m[16] halves
//   Q6_K: scales[16][16] signed bytes, d[16] halves, 32 bytes of padding
//   others: d[blocks][16] halves; m[blocks][16] halves (Q4_1, Q5_1); padding to 64 bytes.
// Only the last superblock may have fewer than 8 blocks, and not in a K format. Float formats: for
// each k, 16 values in the file's type; k is padded with zeros to whole blocks. Outputs past n are
// zeros.
namespace redraft::kernels {

inline constexpr int kTileOutputs = 16;

// Bits of a code, or 0 for the float formats.
constexpr int code_bits(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_0:
    case WeightFormat::kQ4_1:
    case WeightFormat::kQ4_K:
      return 4;
    case WeightFormat::kQ5_0:
    case WeightFormat::kQ5_1:
    case WeightFormat::kQ5_K:
      return 5;
    case WeightFormat::kQ6_K:
      return 6;
    case WeightFormat::kQ8_0:
      return 8;
    default:
      return 0;
  }
}

// Bytes of one block's codes for 16 outputs.
constexpr int code_bytes(int bits) { return bits * kBlock * kTileOutputs / 8; }

constexpr bool is_k_format(WeightFormat format) {
  return format == WeightFormat::kQ4_K || format == WeightFormat::kQ5_K ||
         format == WeightFormat::kQ6_K;
}
constexpr bool has_minimum(WeightFormat format) {
  return format == WeightFormat::kQ4_1 || format == WeightFormat::kQ5_1 ||
         format == WeightFormat::kQ4_K || format == WeightFormat::kQ5_K;
}

// A superblock of up to 8 blocks for 16 outputs: where its parts start, and its size, a multiple of
// 64. Only K formats have `scales` and `mins`.
struct SuperblockLayout {
  int scales;
  int mins;
  int d;
  int m;
  int bytes;
};
constexpr SuperblockLayout superblock_layout(WeightFormat format, int blocks) {
  const int codes = blocks * code_bytes(code_bits(format));
  if (format == WeightFormat::kQ6_K) return {codes, 0, codes + 256, 0, codes + 320};
  if (is_k_format(format)) return {codes, codes + 128, codes + 256, codes + 288, codes + 320};
  const int halves = blocks * kTileOutputs * 2;
  const int bytes = codes + (has_minimum(format) ? 2 : 1) * halves;
  return {0, 0, codes, codes + halves, (bytes + 63) / 64 * 64};
}

// Bytes of one tile; a multiple of 64.
constexpr std::size_t tile_bytes(WeightFormat format, int k) {
  const auto blocks = static_cast<std::size_t>(block_count(k));
  if (code_bits(format) == 0)
    return blocks * kBlock * kTileOutputs * (format == WeightFormat::kF32 ? 4 : 2);
  const std::size_t whole = blocks / kSuperblockBlocks;
  const int rest = static_cast<int>(blocks % kSuperblockBlocks);
  return whole * static_cast<std::size_t>(superblock_layout(format, kSuperblockBlocks).bytes) +
         (rest == 0 ? 0 : static_cast<std::size_t>(superblock_layout(format, rest).bytes));
}

// Packs outputs [16 tile, 16 tile + 16) of `file` (n rows of k) into `out`, tile_bytes() long.
void pack_tile(WeightFormat format, int n, int k, const std::uint8_t* file, int tile,
               std::uint8_t* out);

}  // namespace redraft::kernels
