#pragma once

#include <cstddef>
#include <cstdint>

#include "decoding/kernels/activations.h"
#include "decoding/kernels/code_table.h"
#include "decoding/kernels/weight_format.h"

// The memory layout of repacked weights; the same for every instruction set.
//
// A tile holds 16 outputs and all of k, and one kernel call reads it front to back: superblock by
// superblock of 256 k, each with its codes first and then its scales, so that all of it is one
// stream. Within 32 weights of k ("a block") codes are divided into 8 groups of 4 k. A group is 64
// bytes: 4 neighbouring k of output 0, then of output 1, and so on. This is what one dpbusd of 16
// lanes takes.
//     2 bits: four groups share 64 bytes, group g of the four at bit 2g
//     3 bits: the same, and in 64 more bytes bit g is the third bit of group g
//     4 bits: two groups share 64 bytes of nibbles, the even group low, the odd one high
//     5 bits: the same, and in 64 more bytes bit g is the fifth bit of group g
//     6 bits: three of every four groups have 64 bytes each, whose top two bits hold the fourth
//             group, its low bits with the first
//     8 bits: stored unchanged.
//
// The scales follow the codes of the superblock's blocks, for 16 outputs each:
//   Q4_K, Q5_K: scales[8][16] bytes, mins[4][16][2] bytes (of two neighbouring blocks), d[16] and
//               m[16] halves
//   Q2_K: scales[16][16] bytes, the minimum in the high four bits; d[16] and m[16] halves
//   Q3_K, Q6_K: scales[16][16] signed bytes, d[16] halves
//   IQ4_XS: scales[8][16] signed bytes, d[16] halves
//   MXFP4: d[blocks][16] bytes, the exponents
//   others: d[blocks][16] halves; m[blocks][16] halves (Q4_1, Q5_1)
// and padding to 64 bytes.
// Only the last superblock may have fewer than 8 blocks, and not in a K format. Float formats: for
// each k, 16 values in the file's type; k is padded with zeros to whole blocks. Outputs past n are
// zeros.
namespace redraft::kernels {

inline constexpr int kTileOutputs = 16;

// Bits of a code, or 0 for the float formats.
constexpr int code_bits(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ2_K:
      return 2;
    case WeightFormat::kQ3_K:
      return 3;
    case WeightFormat::kQ4_0:
    case WeightFormat::kQ4_1:
    case WeightFormat::kQ4_K:
    case WeightFormat::kIQ4_NL:
    case WeightFormat::kIQ4_XS:
    case WeightFormat::kMXFP4:
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

// The width of codes as they are multiplied, one of kCodeWidths, or 0 for the float formats: 4 for
// less than that; the values of a table as many bits as the largest takes.
constexpr int product_bits(WeightFormat format) {
  const int bits = code_bits(format);
  if (format == WeightFormat::kMXFP4) return 5;
  if (has_table(format)) return 8;
  return bits == 2 || bits == 3 ? 4 : bits;
}

// What an opened code that is never negative exceeds its value by, for formats without minima.
constexpr int code_offset(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ3_K:
      return 4;
    case WeightFormat::kQ4_0:
      return 8;
    case WeightFormat::kQ5_0:
    case WeightFormat::kMXFP4:
      return 16;
    case WeightFormat::kQ6_K:
      return 32;
    case WeightFormat::kQ8_0:
    case WeightFormat::kIQ4_NL:
    case WeightFormat::kIQ4_XS:
      return 128;
    default:
      return 0;
  }
}

// Bytes of one block's codes for 16 outputs.
constexpr int code_bytes(int bits) { return bits * kBlock * kTileOutputs / 8; }

// With superblocks of 256 weights, whose integer scales are for a run of 16 or 32 each.
constexpr bool is_k_format(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ2_K:
    case WeightFormat::kQ3_K:
    case WeightFormat::kQ4_K:
    case WeightFormat::kQ5_K:
    case WeightFormat::kQ6_K:
    case WeightFormat::kIQ4_XS:
      return true;
    default:
      return false;
  }
}
constexpr bool has_minimum(WeightFormat format) {
  return format == WeightFormat::kQ4_1 || format == WeightFormat::kQ5_1 ||
         format == WeightFormat::kQ2_K || format == WeightFormat::kQ4_K ||
         format == WeightFormat::kQ5_K;
}
// The number of weights that share a scale. Two blocks of a K format have 64 / run_size() scales.
constexpr int run_size(WeightFormat format) {
  return format == WeightFormat::kQ2_K || format == WeightFormat::kQ3_K ||
                 format == WeightFormat::kQ6_K
             ? kBlock / 2
             : kBlock;
}
constexpr int runs_of_pair(WeightFormat format) { return 2 * kBlock / run_size(format); }
constexpr bool has_signed_scales(WeightFormat format) {
  return is_k_format(format) && !has_minimum(format);
}
// Whether a run has its minimum in the high four bits of its scale. Other K formats with minima
// have one for each block, multiplied by the coarse sums of the activations.
constexpr bool has_nibble_scales(WeightFormat format) { return format == WeightFormat::kQ2_K; }

// Formats with float scales: bytes of a block's `d` for 16 outputs, and of all of a block.
constexpr int d_bytes(WeightFormat format) {
  return kTileOutputs * (format == WeightFormat::kMXFP4 ? 1 : 2);
}
constexpr int block_bytes(WeightFormat format) {
  return code_bytes(code_bits(format)) + d_bytes(format) * (has_minimum(format) ? 2 : 1);
}

// A superblock of up to 8 blocks for 16 outputs: where its parts start, and its size, a multiple of
// 64. Only K formats have `scales`, and those with minima that are bytes `mins`.
struct SuperblockLayout {
  int scales;
  int mins;
  int d;
  int m;
  int bytes;
};
constexpr SuperblockLayout superblock_layout(WeightFormat format, int blocks) {
  constexpr int kHalves = kTileOutputs * 2;
  const auto padded = [](int bytes) { return (bytes + 63) / 64 * 64; };
  const int codes = blocks * code_bytes(code_bits(format));
  if (is_k_format(format)) {
    const int mins = codes + kSuperblock / run_size(format) * kTileOutputs;
    const int d = mins + (has_minimum(format) && !has_nibble_scales(format) ? 8 * kTileOutputs : 0);
    return {codes, mins, d, d + kHalves, padded(d + (has_minimum(format) ? 2 : 1) * kHalves)};
  }
  return {0, 0, codes, codes + blocks * d_bytes(format), padded(blocks * block_bytes(format))};
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
