// The kernels in plain C++: the reference that the others are tested against, and the
// implementation for other processors. This file is compiled without contraction of a*b+c, so that
// each operation rounds the same way on every row.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "decoding/kernels/half.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/quantize_template.h"
#include "decoding/kernels/tile_kernel_template.h"

namespace redraft::kernels {
namespace {

// A block's codes unpacked, [output][k], with the offsets subtracted.
using OpenCodes = std::int16_t[kTileOutputs][kBlock];

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
void open_codes(const std::uint8_t* packed, OpenCodes& out) {
  constexpr int kBits = code_bits(kFormat);
  for (int group = 0; group < 8; ++group) {
    for (int at = 0; at < 64; ++at) {
      int code;
      if constexpr (kBits == 8) {
        code = static_cast<std::int8_t>(packed[group * 64 + at]);
      } else if constexpr (kBits == 6) {
        const std::uint8_t* four = packed + group / 4 * 192 + at;
        code = group % 4 < 3 ? four[group % 4 * 64] & 63
                             : four[0] >> 6 | four[64] >> 6 << 2 | four[128] >> 6 << 4;
      } else {
        code = packed[group / 2 * 64 + at] >> (group % 2 * 4) & 15;
        if constexpr (kBits == 5) code |= (packed[256 + at] >> group & 1) << 4;
      }
      out[at / 4][group * 4 + at % 4] = static_cast<std::int16_t>(code - code_offset(kFormat));
    }
  }
}

int dot16(const std::int16_t* codes, const std::int8_t* quants) {
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += codes[i] * quants[i];
  return sum;
}

// A block's dot product with the activations, multiplied by the block's integer scales.
template <WeightFormat kFormat>
int scaled_dot(const std::uint8_t* scales, const OpenCodes& codes, int block, int j,
               const ActivationSuperblock& x) {
  const int first = dot16(codes[j], x.quants + block * kBlock);
  const int second = dot16(codes[j] + 16, x.quants + block * kBlock + 16);
  if constexpr (kFormat != WeightFormat::kQ6_K)
    return (first + second) * scales[block * kTileOutputs + j];
  const std::uint8_t* halves = scales + 2 * block * kTileOutputs + j;
  return first * static_cast<std::int8_t>(halves[0]) +
         second * static_cast<std::int8_t>(halves[kTileOutputs]);
}

// The minima of a superblock for output j, multiplied by the sums of its activations.
float minima_dot(const std::uint8_t* mins, float m, int j, const ActivationSuperblock& x) {
  int dot = 0;
  for (int i = 0; i < kSuperblockBlocks; ++i)
    dot += mins[(i / 2 * kTileOutputs + j) * 2 + i % 2] * x.coarse_sums[i];
  return m * x.coarse_scale * static_cast<float>(dot);
}

template <WeightFormat kFormat>
void add_k_superblock(const std::uint8_t* super, const ActivationSuperblock* x, int rows,
                      float* out) {
  constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  OpenCodes codes[kSuperblockBlocks];
  for (int i = 0; i < kSuperblockBlocks; ++i)
    open_codes<kFormat>(super + i * code_bytes(code_bits(kFormat)), codes[i]);
  for (int row = 0; row < rows; ++row) {
    for (int j = 0; j < kTileOutputs; ++j) {
      float part = 0;
      for (int block = 0; block < kSuperblockBlocks; block += 2) {
        const std::uint8_t* scales = super + kLayout.scales;
        const int dot = scaled_dot<kFormat>(scales, codes[block], block, j, x[row]) +
                        scaled_dot<kFormat>(scales, codes[block + 1], block + 1, j, x[row]);
        part += static_cast<float>(dot) * x[row].scales[block];
      }
      float& sum = out[row * kTileOutputs + j];
      sum += read_half(super + kLayout.d, j) * part;
      if constexpr (has_minimum(kFormat))
        sum -= minima_dot(super + kLayout.mins, read_half(super + kLayout.m, j), j, x[row]);
    }
  }
}

// A superblock of a format with float block scales, of which `blocks` blocks remain.
template <WeightFormat kFormat>
void add_superblock(const std::uint8_t* super, int blocks, const ActivationSuperblock* x, int rows,
                    float* out) {
  const SuperblockLayout layout = superblock_layout(kFormat, blocks);
  for (int block = 0; block < blocks; ++block) {
    OpenCodes codes;
    open_codes<kFormat>(super + block * code_bytes(code_bits(kFormat)), codes);
    for (int row = 0; row < rows; ++row) {
      for (int j = 0; j < kTileOutputs; ++j) {
        const int dot = dot16(codes[j], x[row].quants + block * kBlock) +
                        dot16(codes[j] + 16, x[row].quants + block * kBlock + 16);
        float& sum = out[row * kTileOutputs + j];
        sum += static_cast<float>(dot) * read_half(super + layout.d + block * 32, j) *
               x[row].scales[block];
        if constexpr (has_minimum(kFormat))
          sum += read_half(super + layout.m + block * 32, j) * x[row].scaled_sums[block];
      }
    }
  }
}

template <WeightFormat kFormat>
struct QuantizedTile {
  static void run(const std::uint8_t* tile, const ActivationSuperblock* x, int rows, int blocks,
                  float* out) {
    std::fill(out, out + rows * kTileOutputs, 0.0f);
    for (; blocks > 0; blocks -= kSuperblockBlocks, x += rows) {
      const int here = std::min(blocks, kSuperblockBlocks);
      if constexpr (is_k_format(kFormat)) {
        add_k_superblock<kFormat>(tile, x, rows, out);
      } else {
        add_superblock<kFormat>(tile, here, x, rows, out);
      }
      tile += superblock_layout(kFormat, here).bytes;
    }
  }
};

// 32 activations, zeros from `count` on.
struct Values {
  float values[kBlock];
  float largest;  // magnitude
  bool finite;
};

struct QuantizeOps {
  static Values load(const float* x, int count) {
    Values out{{}, 0, true};
    for (int i = 0; i < std::min(count, kBlock); ++i) {
      out.values[i] = x[i];
      out.largest = std::max(out.largest, std::fabs(x[i]));
      out.finite = out.finite && std::isfinite(x[i]);
    }
    return out;
  }

  static void quantize(const Values& values, float largest, bool finite, int block,
                       ActivationSuperblock& out) {
    // Below the smallest normal number 127 / largest would overflow, so anything that small counts
    // as zero.
    const bool live = finite && largest >= kMinMagnitude;
    const float inverse = live ? 127.0f / largest : 0.0f;
    int sums[2] = {0, 0};
    for (int i = 0; i < kBlock; ++i) {
      const int quant = live ? static_cast<int>(std::nearbyint(values.values[i] * inverse)) : 0;
      out.quants[block * kBlock + i] = static_cast<std::int8_t>(quant);
      sums[i / 16] += quant;
    }
    out.scales[block] = finite ? largest / 127.0f : std::numeric_limits<float>::quiet_NaN();
    out.scaled_sums[block] = out.scales[block] * static_cast<float>(sums[0] + sums[1]);
    out.offsets[2 * block] = -32 * sums[0];
    out.offsets[2 * block + 1] = -32 * sums[1];
  }

  static void coarsen_sums(ActivationSuperblock& out) {
    float largest = 0;
    bool finite = true;
    for (const float sum : out.scaled_sums) {
      largest = std::max(largest, std::fabs(sum));
      finite = finite && std::isfinite(sum);
    }
    const bool live = finite && largest >= kMinMagnitude;
    const float inverse = live ? kMaxCoarseSum / largest : 0.0f;
    for (int i = 0; i < kSuperblockBlocks; ++i) {
      out.coarse_sums[i] =
          static_cast<std::int16_t>(live ? std::nearbyint(out.scaled_sums[i] * inverse) : 0.0f);
    }
    out.coarse_scale = finite ? largest / kMaxCoarseSum : std::numeric_limits<float>::quiet_NaN();
  }
};

}  // namespace

TileKernel portable_tile_kernel(WeightFormat format) {
  return kernel_of_format<QuantizedTile>(format);
}

void portable_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                       int stride) {
  quantize_row<QuantizeOps>(x, k, begin, end, out, stride);
}

}  // namespace redraft::kernels
