#include "decoding/kernels/packed_layout.h"

#include <algorithm>
#include <cstring>

#include "decoding/kernels/weight_block.h"

namespace redraft::kernels {
namespace {

// Four neighbouring codes of one output stay together: in the tile they are four bytes of a group.
using Four = std::uint32_t;

Four load_four(const std::uint8_t* p) {
  Four four;
  std::memcpy(&four, p, sizeof(four));
  return four;
}

// Where the tile's first output has its four bytes in 64-byte part `idx`.
void store_four(std::uint8_t* out, int idx, Four four) {
  std::memcpy(out + idx * 64, &four, sizeof(four));
}

// Bit `bit` of each group's codes, of group g as bit g.
Four top_bits(const Four (&groups)[8], int bit) {
  Four bits = 0;
  for (int group = 0; group < 8; ++group) bits |= (groups[group] >> bit & 0x01010101) << group;
  return bits;
}

// `codes` are the 32 codes of one output in a block; `out` is the output's place in the block.
template <int kBits>
void pack_codes(const std::uint8_t* codes, std::uint8_t* out) {
  Four groups[8];
  for (int group = 0; group < 8; ++group) groups[group] = load_four(codes + group * 4);
  if constexpr (kBits == 8) {
    for (int group = 0; group < 8; ++group) store_four(out, group, groups[group]);
    return;
  }
  if constexpr (kBits == 2 || kBits == 3) {
    for (int half = 0; half < 2; ++half) {
      Four four = 0;
      for (int i = 0; i < 4; ++i) four |= (groups[4 * half + i] & 0x03030303) << (2 * i);
      store_four(out, half, four);
    }
    if constexpr (kBits == 3) store_four(out, 2, top_bits(groups, 2));
    return;
  }
  if constexpr (kBits == 6) {
    for (int half = 0; half < 2; ++half) {
      const Four* four = groups + 4 * half;
      for (int i = 0; i < 3; ++i)
        store_four(out, 3 * half + i, four[i] | (four[3] >> (2 * i) & 0x03030303) << 6);
    }
    return;
  }
  for (int i = 0; i < 4; ++i) {
    store_four(out, i, (groups[2 * i] & 0x0f0f0f0f) | (groups[2 * i + 1] & 0x0f0f0f0f) << 4);
  }
  if constexpr (kBits == 5) store_four(out, 4, top_bits(groups, 4));
}

void put_half(std::uint16_t half, int output, std::uint8_t* out) {
  std::memcpy(out + output * 2, &half, 2);
}

// One output's superblock of a K format.
template <WeightFormat kFormat>
void pack_k_superblock(const std::uint8_t* file, int output, std::uint8_t* out) {
  constexpr int kBits = code_bits(kFormat);
  constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  WeightBlock block;
  read_block(kFormat, file, block);
  for (int i = 0; i < kSuperblockBlocks; ++i)
    pack_codes<kBits>(block.codes + i * kBlock, out + i * code_bytes(kBits) + output * 4);
  for (int i = 0; i < kSuperblock / run_size(kFormat); ++i) {
    const int high = has_nibble_scales(kFormat) ? block.mins[i] << 4 : 0;
    out[kLayout.scales + i * kTileOutputs + output] =
        static_cast<std::uint8_t>(block.scales[i] | high);
  }
  put_half(block.d, output, out + kLayout.d);
  if constexpr (has_minimum(kFormat)) {
    for (int i = 0; i < kSuperblockBlocks && !has_nibble_scales(kFormat); ++i)
      out[kLayout.mins + (i / 2 * kTileOutputs + output) * 2 + i % 2] = block.mins[i];
    put_half(block.m, output, out + kLayout.m);
  }
}

// One output's `blocks` blocks of a superblock of another format.
template <WeightFormat kFormat>
void pack_superblock(const std::uint8_t* file, int blocks, int output, std::uint8_t* out) {
  constexpr int kBits = code_bits(kFormat);
  const SuperblockLayout layout = superblock_layout(kFormat, blocks);
  const int block_bytes = weight_format_info(kFormat)->block_bytes;
  WeightBlock block;
  for (int i = 0; i < blocks; ++i) {
    read_block(kFormat, file + i * block_bytes, block);
    pack_codes<kBits>(block.codes, out + i * code_bytes(kBits) + output * 4);
    if constexpr (kFormat == WeightFormat::kMXFP4) {
      out[layout.d + i * kTileOutputs + output] = static_cast<std::uint8_t>(block.d);
    } else {
      put_half(block.d, output, out + layout.d + i * 32);
    }
    if constexpr (has_minimum(kFormat)) put_half(block.m, output, out + layout.m + i * 32);
  }
}

// The rows of the file that make one tile.
struct TileRows {
  const std::uint8_t* first;
  std::size_t stride;
  int outputs;  // 16, or what is left of n
};

// Packs superblock by superblock, so that the written data stays in the cache until it is complete.
template <WeightFormat kFormat>
void pack_quantized(const TileRows& rows, int k, std::uint8_t* out) {
  const WeightFormatInfo& info = *weight_format_info(kFormat);
  std::size_t at = 0;
  for (int left = block_count(k); left > 0; left -= kSuperblockBlocks) {
    const int blocks = std::min(left, kSuperblockBlocks);
    const auto bytes = static_cast<std::size_t>(superblock_layout(kFormat, blocks).bytes);
    const auto codes = static_cast<std::size_t>(blocks * code_bytes(code_bits(kFormat)));
    const std::size_t packed = rows.outputs == kTileOutputs ? codes : 0;  // without gaps
    std::memset(out + packed, 0, bytes - packed);
    for (int output = 0; output < rows.outputs; ++output) {
      const std::uint8_t* from = rows.first + static_cast<std::size_t>(output) * rows.stride + at;
      if constexpr (is_k_format(kFormat)) {
        pack_k_superblock<kFormat>(from, output, out);
      } else {
        pack_superblock<kFormat>(from, blocks, output, out);
      }
    }
    at += static_cast<std::size_t>(blocks * kBlock / info.block_size * info.block_bytes);
    out += bytes;
  }
}

template <typename Element>
void pack_floats(const TileRows& rows, int k, std::uint8_t* out) {
  const std::size_t bytes = static_cast<std::size_t>(block_count(k)) * kBlock * kTileOutputs;
  std::memset(out, 0, bytes * sizeof(Element));
  for (int i = 0; i < k; ++i, out += kTileOutputs * sizeof(Element)) {
    for (int output = 0; output < rows.outputs; ++output) {
      std::memcpy(out + static_cast<std::size_t>(output) * sizeof(Element),
                  rows.first + static_cast<std::size_t>(output) * rows.stride +
                      static_cast<std::size_t>(i) * sizeof(Element),
                  sizeof(Element));
    }
  }
}

}  // namespace

void pack_tile(WeightFormat format, int n, int k, const std::uint8_t* file, int tile,
               std::uint8_t* out) {
  const std::size_t stride = weight_bytes(format, 1, k);
  const TileRows rows{file + static_cast<std::size_t>(tile) * kTileOutputs * stride, stride,
                      std::min(kTileOutputs, n - tile * kTileOutputs)};
  switch (format) {
    case WeightFormat::kF32:
      return pack_floats<std::uint32_t>(rows, k, out);
    case WeightFormat::kF16:
    case WeightFormat::kBF16:
      return pack_floats<std::uint16_t>(rows, k, out);
    case WeightFormat::kQ4_0:
      return pack_quantized<WeightFormat::kQ4_0>(rows, k, out);
    case WeightFormat::kQ4_1:
      return pack_quantized<WeightFormat::kQ4_1>(rows, k, out);
    case WeightFormat::kQ5_0:
      return pack_quantized<WeightFormat::kQ5_0>(rows, k, out);
    case WeightFormat::kQ5_1:
      return pack_quantized<WeightFormat::kQ5_1>(rows, k, out);
    case WeightFormat::kQ8_0:
      return pack_quantized<WeightFormat::kQ8_0>(rows, k, out);
    case WeightFormat::kQ4_K:
      return pack_quantized<WeightFormat::kQ4_K>(rows, k, out);
    case WeightFormat::kQ5_K:
      return pack_quantized<WeightFormat::kQ5_K>(rows, k, out);
    case WeightFormat::kQ6_K:
      return pack_quantized<WeightFormat::kQ6_K>(rows, k, out);
    case WeightFormat::kQ2_K:
      return pack_quantized<WeightFormat::kQ2_K>(rows, k, out);
    case WeightFormat::kQ3_K:
      return pack_quantized<WeightFormat::kQ3_K>(rows, k, out);
    case WeightFormat::kIQ4_NL:
      return pack_quantized<WeightFormat::kIQ4_NL>(rows, k, out);
    case WeightFormat::kIQ4_XS:
      return pack_quantized<WeightFormat::kIQ4_XS>(rows, k, out);
    case WeightFormat::kMXFP4:
      return pack_quantized<WeightFormat::kMXFP4>(rows, k, out);
  }
}

}  // namespace redraft::kernels
