// The kernels in plain C++: the definition that the others are tested against, and the path for
// other processors. This file is compiled without contraction of a*b+c, so that each operation
// rounds the same way on every row.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "decoding/kernels/half.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {
namespace {

// A block's codes taken apart, [output][k], with what its integer dot products are multiplied by.
struct OpenBlock {
  std::int16_t codes[kTileOutputs][kBlock];  // offsets already taken off
  float scales[2][kTileOutputs];             // of each half of the block
  float minima[kTileOutputs];
};

float read_half(const std::uint8_t* p, int idx) {
  std::uint16_t bits;
  std::memcpy(&bits, p + idx * 2, 2);
  return half_to_float(bits);
}

constexpr int code_offset(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return 8;
    case WeightFormat::kQ5_0:
      return 16;
    case WeightFormat::kQ6_K:
      return 32;
    default:
      return 0;
  }
}

template <WeightFormat kFormat>
void open_codes(const std::uint8_t* packed, OpenBlock& out) {
  constexpr int kBits = code_bits(kFormat);
  for (int group = 0; group < 8; ++group) {
    for (int at = 0; at < 64; ++at) {
      int code;
      if constexpr (kBits == 8) {
        code = static_cast<std::int8_t>(packed[group * 64 + at]);
      } else {
        code = packed[group / 2 * 64 + at] >> (group % 2 * 4) & 15;
        if constexpr (kBits == 5) code |= (packed[256 + at] >> group & 1) << 4;
        if constexpr (kBits == 6)
          code |= (packed[256 + group / 4 * 64 + at] >> (group % 4 * 2) & 3) << 4;
      }
      out.codes[at / 4][group * 4 + at % 4] =
          static_cast<std::int16_t>(code - code_offset(kFormat));
    }
  }
}

template <WeightFormat kFormat>
void open_block(const std::uint8_t* tile, int block, int blocks, OpenBlock& out) {
  constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  if constexpr (is_k_format(kFormat)) {
    constexpr SuperblockLayout kLayout = superblock_layout(kFormat);
    const std::uint8_t* super = tile + static_cast<std::size_t>(block / 8) * kLayout.bytes;
    const int sub = block % 8;
    open_codes<kFormat>(super + sub * kCodeBytes, out);
    for (int j = 0; j < kTileOutputs; ++j) {
      const float d = read_half(super + kLayout.d, j);
      const std::uint8_t* scales = super + kLayout.scales + j;
      if constexpr (kFormat == WeightFormat::kQ6_K) {
        out.scales[0][j] = d * static_cast<float>(static_cast<std::int8_t>(scales[sub * 32]));
        out.scales[1][j] = d * static_cast<float>(static_cast<std::int8_t>(scales[sub * 32 + 16]));
      } else {
        out.scales[0][j] = out.scales[1][j] = d * static_cast<float>(scales[sub * 16]);
        out.minima[j] = -(read_half(super + kLayout.m, j) *
                          static_cast<float>(super[kLayout.mins + sub * 16 + j]));
      }
    }
  } else {
    open_codes<kFormat>(tile + static_cast<std::size_t>(block) * kCodeBytes, out);
    const std::uint8_t* d = tile + static_cast<std::size_t>(blocks) * kCodeBytes;
    for (int j = 0; j < kTileOutputs; ++j) {
      out.scales[0][j] = out.scales[1][j] = read_half(d + block * 32, j);
      if constexpr (has_minimum(kFormat)) out.minima[j] = read_half(d + (blocks + block) * 32, j);
    }
  }
}

int dot16(const std::int16_t* codes, const std::int8_t* quants) {
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += codes[i] * quants[i];
  return sum;
}

template <WeightFormat kFormat>
void quantized_tile(const std::uint8_t* tile, const ActivationBlock* x, int rows, int blocks,
                    float* out) {
  std::fill(out, out + rows * kTileOutputs, 0.0f);
  OpenBlock open;
  for (int block = 0; block < blocks; ++block, x += rows) {
    open_block<kFormat>(tile, block, blocks, open);
    for (int row = 0; row < rows; ++row) {
      for (int j = 0; j < kTileOutputs; ++j) {
        float& sum = out[row * kTileOutputs + j];
        const int first = dot16(open.codes[j], x[row].quants);
        const int second = dot16(open.codes[j] + 16, x[row].quants + 16);
        const float scaled = static_cast<float>(first) * open.scales[0][j] +
                             static_cast<float>(second) * open.scales[1][j];
        sum += scaled * x[row].scale;
        if constexpr (has_minimum(kFormat)) sum += open.minima[j] * x[row].scaled_sum;
      }
    }
  }
}

}  // namespace

TileKernel portable_tile_kernel(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return quantized_tile<WeightFormat::kQ4_0>;
    case WeightFormat::kQ4_1:
      return quantized_tile<WeightFormat::kQ4_1>;
    case WeightFormat::kQ5_0:
      return quantized_tile<WeightFormat::kQ5_0>;
    case WeightFormat::kQ5_1:
      return quantized_tile<WeightFormat::kQ5_1>;
    case WeightFormat::kQ8_0:
      return quantized_tile<WeightFormat::kQ8_0>;
    case WeightFormat::kQ4_K:
      return quantized_tile<WeightFormat::kQ4_K>;
    case WeightFormat::kQ5_K:
      return quantized_tile<WeightFormat::kQ5_K>;
    case WeightFormat::kQ6_K:
      return quantized_tile<WeightFormat::kQ6_K>;
    default:
      return nullptr;
  }
}

void portable_quantize(const float* x, int k, ActivationBlock* out, int stride) {
  for (int begin = 0; begin < k; begin += kBlock, out += stride) {
    const int count = std::min(kBlock, k - begin);
    float largest = 0;
    bool finite = true;
    for (int i = 0; i < count; ++i) {
      largest = std::max(largest, std::fabs(x[begin + i]));
      finite = finite && std::isfinite(x[begin + i]);
    }
    // Below the least normal number 127 / largest would overflow; what is that small counts as
    // zero.
    const float inverse = finite && largest >= kLeastMagnitude ? 127.0f / largest : 0.0f;
    int sums[2] = {0, 0};
    for (int i = 0; i < kBlock; ++i) {
      const int quant =
          i < count && inverse > 0 ? static_cast<int>(std::nearbyint(x[begin + i] * inverse)) : 0;
      out->quants[i] = static_cast<std::int8_t>(quant);
      sums[i / 16] += quant;
    }
    out->scale = finite ? largest / 127.0f : std::numeric_limits<float>::quiet_NaN();
    out->scaled_sum = out->scale * static_cast<float>(sums[0] + sums[1]);
    out->offsets[0] = -32 * sums[0];
    out->offsets[1] = -32 * sums[1];
  }
}

}  // namespace redraft::kernels
