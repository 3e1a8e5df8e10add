#include "decoding/kernels/packed_layout.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "decoding/kernels/weight_block.h"

namespace redraft::kernels {
namespace {

// `codes` are one output's 32 codes of a block; `out` starts as zeros.
void pack_codes(const std::uint8_t* codes, int bits, int output, std::uint8_t* out) {
  for (int group = 0; group < 8; ++group) {
    for (int i = 0; i < 4; ++i) {
      const int code = codes[group * 4 + i];
      const int at = output * 4 + i;
      if (bits == 8) {
        out[group * 64 + at] = static_cast<std::uint8_t>(code);
        continue;
      }
      std::uint8_t& nibbles = out[group / 2 * 64 + at];
      nibbles = static_cast<std::uint8_t>(nibbles | (code & 15) << (group % 2 * 4));
      if (bits == 5) out[256 + at] = static_cast<std::uint8_t>(out[256 + at] | code >> 4 << group);
      if (bits == 6) {
        std::uint8_t& high = out[256 + group / 4 * 64 + at];
        high = static_cast<std::uint8_t>(high | code >> 4 << (group % 4 * 2));
      }
    }
  }
}

void pack_superblock(WeightFormat format, const WeightBlock& block, int output, std::uint8_t* out) {
  const int bits = code_bits(format);
  const SuperblockLayout layout = superblock_layout(format);
  for (int i = 0; i < 8; ++i)
    pack_codes(block.codes + i * kBlock, bits, output, out + i * code_bytes(bits));
  const int scales = format == WeightFormat::kQ6_K ? 16 : 8;
  for (int i = 0; i < scales; ++i) out[layout.scales + i * kTileOutputs + output] = block.scales[i];
  std::memcpy(out + layout.d + output * 2, &block.d, 2);
  if (format == WeightFormat::kQ6_K) return;
  for (int i = 0; i < 8; ++i) out[layout.mins + i * kTileOutputs + output] = block.mins[i];
  std::memcpy(out + layout.m + output * 2, &block.m, 2);
}

void pack_simple_block(WeightFormat format, const WeightBlock& block, int idx, int blocks,
                       int output, std::uint8_t* out) {
  const int bits = code_bits(format);
  pack_codes(block.codes, bits, output, out + static_cast<std::size_t>(idx) * code_bytes(bits));
  std::uint8_t* d = out + static_cast<std::size_t>(blocks) * code_bytes(bits);
  std::memcpy(d + idx * 32 + output * 2, &block.d, 2);
  if (has_minimum(format)) std::memcpy(d + (blocks + idx) * 32 + output * 2, &block.m, 2);
}

}  // namespace

void pack_tile(WeightFormat format, int n, int k, const std::uint8_t* file, int tile,
               std::uint8_t* out) {
  std::memset(out, 0, tile_bytes(format, k));
  const WeightFormatInfo& info = *weight_format_info(format);
  const std::size_t row_bytes = weight_bytes(format, 1, k);
  const int outputs = std::min(kTileOutputs, n - tile * kTileOutputs);
  const int file_blocks = k / info.block_size;
  const auto element = static_cast<std::size_t>(info.block_bytes);
  for (int output = 0; output < outputs; ++output) {
    const std::uint8_t* row =
        file + static_cast<std::size_t>(tile * kTileOutputs + output) * row_bytes;
    if (code_bits(format) == 0) {
      for (int i = 0; i < k; ++i) {
        std::memcpy(out + static_cast<std::size_t>(i * kTileOutputs + output) * element,
                    row + i * element, element);
      }
      continue;
    }
    WeightBlock block;
    for (int i = 0; i < file_blocks; ++i) {
      read_block(format, row + static_cast<std::size_t>(i) * element, block);
      if (is_k_format(format)) {
        pack_superblock(format, block, output,
                        out + static_cast<std::size_t>(i) * superblock_layout(format).bytes);
      } else {
        pack_simple_block(format, block, i, file_blocks, output, out);
      }
    }
  }
}

}  // namespace redraft::kernels
