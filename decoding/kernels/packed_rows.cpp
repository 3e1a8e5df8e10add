// The reverse of packed_layout.cpp, for one output of a tile: reads each value from where
// pack_tile() put it, and then multiplies as for a block of the file.
#include "decoding/kernels/packed_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "decoding/kernels/half.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/weight_block.h"

namespace redraft::kernels {
namespace {

// Four neighbouring codes of one output.
using Four = std::uint32_t;

Four load_four(const std::uint8_t* in, int idx) {
  Four four;
  std::memcpy(&four, in + idx * 64, sizeof(four));
  return four;
}

std::uint16_t load_half(const std::uint8_t* in) {
  std::uint16_t half;
  std::memcpy(&half, in, sizeof(half));
  return half;
}

// `in` is the output's place in the block; writes its 32 codes.
void unpack_codes(int bits, const std::uint8_t* in, std::uint8_t* codes) {
  Four groups[8];
  if (bits == 8) {
    for (int group = 0; group < 8; ++group) groups[group] = load_four(in, group);
  } else if (bits < 4) {
    for (int group = 0; group < 8; ++group)
      groups[group] = load_four(in, group / 4) >> (2 * (group % 4)) & 0x03030303;
    const Four high = bits == 3 ? load_four(in, 2) : 0;
    for (int group = 0; group < 8; ++group) groups[group] |= (high >> group & 0x01010101) << 2;
  } else if (bits == 6) {
    for (int half = 0; half < 2; ++half) {
      Four* four = groups + 4 * half;
      four[3] = 0;
      for (int i = 0; i < 3; ++i) {
        const Four part = load_four(in, 3 * half + i);
        four[i] = part & 0x3f3f3f3f;
        four[3] |= (part >> 6 & 0x03030303) << (2 * i);
      }
    }
  } else {
    for (int i = 0; i < 4; ++i) {
      const Four part = load_four(in, i);
      groups[2 * i] = part & 0x0f0f0f0f;
      groups[2 * i + 1] = part >> 4 & 0x0f0f0f0f;
    }
    const Four high = bits == 5 ? load_four(in, 4) : 0;
    for (int group = 0; group < 8; ++group) groups[group] |= (high >> group & 0x01010101) << 4;
  }
  std::memcpy(codes, groups, sizeof(groups));
}

void dequantize_k_superblock(WeightFormat format, const std::uint8_t* in, int output, float* out) {
  const int bits = code_bits(format);
  const SuperblockLayout layout = superblock_layout(format, kSuperblockBlocks);
  WeightBlock block;
  for (int i = 0; i < kSuperblockBlocks; ++i)
    unpack_codes(bits, in + i * code_bytes(bits) + output * 4, block.codes + i * kBlock);
  for (int i = 0; i < kSuperblock / run_size(format); ++i) {
    const std::uint8_t scale = in[layout.scales + i * kTileOutputs + output];
    block.scales[i] = has_nibble_scales(format) ? scale & 15 : scale;
    if (has_nibble_scales(format)) block.mins[i] = scale >> 4;
  }
  block.d = load_half(in + layout.d + output * 2);
  if (has_minimum(format)) {
    for (int i = 0; i < kSuperblockBlocks && !has_nibble_scales(format); ++i)
      block.mins[i] = in[layout.mins + (i / 2 * kTileOutputs + output) * 2 + i % 2];
    block.m = load_half(in + layout.m + output * 2);
  }
  dequantize_block(format, block, out);
}

// For the other quantised formats.
void dequantize_superblock(WeightFormat format, const std::uint8_t* in, int blocks, int output,
                           float* out) {
  const int bits = code_bits(format);
  const SuperblockLayout layout = superblock_layout(format, blocks);
  for (int i = 0; i < blocks; ++i) {
    WeightBlock block;
    unpack_codes(bits, in + i * code_bytes(bits) + output * 4, block.codes);
    block.d = format == WeightFormat::kMXFP4
                  ? in[layout.d + i * kTileOutputs + output]
                  : load_half(in + layout.d + (i * kTileOutputs + output) * 2);
    if (has_minimum(format)) block.m = load_half(in + layout.m + (i * kTileOutputs + output) * 2);
    dequantize_block(format, block, out + i * kBlock);
  }
}

}  // namespace

void dequantize_packed_row(WeightFormat format, int k, const std::uint8_t* tiles, int row,
                           float* out) {
  const std::uint8_t* in =
      tiles + static_cast<std::size_t>(row / kTileOutputs) * tile_bytes(format, k);
  const int output = row % kTileOutputs;
  if (code_bits(format) == 0) {
    const int bytes = format == WeightFormat::kF32 ? 4 : 2;
    for (int i = 0; i < k; ++i)
      dequantize_row(format, in + (i * kTileOutputs + output) * bytes, 1, out + i);
    return;
  }
  for (int left = block_count(k); left > 0; left -= kSuperblockBlocks) {
    const int blocks = std::min(left, kSuperblockBlocks);
    if (is_k_format(format)) {
      dequantize_k_superblock(format, in, output, out);
    } else {
      dequantize_superblock(format, in, blocks, output, out);
    }
    in += superblock_layout(format, blocks).bytes;
    out += blocks * kBlock;
  }
}

}  // namespace redraft::kernels
