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

// What a block's codes stand for, [output][k].
using OpenCodes = std::int16_t[kTileOutputs][kBlock];

float read_half(const std::uint8_t* p, int idx) {
  std::uint16_t bits;
  std::memcpy(&bits, p + idx * 2, 2);
  return half_to_float(bits);
}

// Code `at` of 64 in group `group`, as packed.
template <int kBits>
int read_code(const std::uint8_t* packed, int group, int at) {
  if constexpr (kBits == 8) return packed[group * 64 + at];
  if constexpr (kBits == 6) {
    const std::uint8_t* four = packed + group / 4 * 192 + at;
    return group % 4 < 3 ? four[group % 4 * 64] & 63
                         : four[0] >> 6 | four[64] >> 6 << 2 | four[128] >> 6 << 4;
  }
  if constexpr (kBits < 4) {
    const int low = packed[group / 4 * 64 + at] >> (group % 4 * 2) & 3;
    return kBits == 2 ? low : low | (packed[128 + at] >> group & 1) << 2;
  }
  const int low = packed[group / 2 * 64 + at] >> (group % 2 * 4) & 15;
  return kBits == 4 ? low : low | (packed[256 + at] >> group & 1) << 4;
}

template <WeightFormat kFormat>
int value_of_code(int code) {
  if constexpr (has_table(kFormat)) return code_table(kFormat).values[code];
  if constexpr (code_bits(kFormat) == 8) return static_cast<std::int8_t>(code);
  return code - code_offset(kFormat);
}

template <WeightFormat kFormat>
void open_codes(const std::uint8_t* packed, OpenCodes& out) {
  for (int group = 0; group < 8; ++group) {
    for (int at = 0; at < 64; ++at) {
      const int code = read_code<code_bits(kFormat)>(packed, group, at);
      out[at / 4][group * 4 + at % 4] = static_cast<std::int16_t>(value_of_code<kFormat>(code));
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
  const auto scale = [&](int run) -> int {
    const std::uint8_t byte = scales[run * kTileOutputs + j];
    if constexpr (has_nibble_scales(kFormat)) return byte & 15;
    return has_signed_scales(kFormat) ? static_cast<std::int8_t>(byte) : byte;
  };
  if constexpr (run_size(kFormat) == kBlock) return (first + second) * scale(block);
  return first * scale(2 * block) + second * scale(2 * block + 1);
}

// The minima of a superblock for output j, multiplied by the sums of its activations.
float minima_dot(const std::uint8_t* mins, float m, int j, const ActivationSuperblock& x) {
  int dot = 0;
  for (int i = 0; i < kSuperblockBlocks; ++i)
    dot += mins[(i / 2 * kTileOutputs + j) * 2 + i % 2] * x.coarse_sums[i];
  return m * x.coarse_scale * static_cast<float>(dot);
}

// The same for minima in the high bits of the scales, which are exact integers up to their float
// scales.
float nibble_minima_dot(const std::uint8_t* scales, float m, int j, const ActivationSuperblock& x) {
  float sum = 0;
  for (int pair = 0; pair < kSuperblockBlocks / 2; ++pair) {
    int dot = 0;
    for (int run = 4 * pair; run < 4 * pair + 4; ++run)
      dot += (scales[run * kTileOutputs + j] >> 4) * x.sums[run];
    sum += static_cast<float>(dot) * x.scales[2 * pair];
  }
  return m * sum;
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
      if constexpr (has_nibble_scales(kFormat)) {
        sum -=
            nibble_minima_dot(super + kLayout.scales, read_half(super + kLayout.m, j), j, x[row]);
      } else if constexpr (has_minimum(kFormat)) {
        sum -= minima_dot(super + kLayout.mins, read_half(super + kLayout.m, j), j, x[row]);
      }
    }
  }
}

template <WeightFormat kFormat>
float read_scale(const std::uint8_t* d, int block, int j) {
  d += block * d_bytes(kFormat);
  if constexpr (kFormat == WeightFormat::kMXFP4) return exponent_to_float(d[j]);
  return read_half(d, j);
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
        sum += static_cast<float>(dot) * read_scale<kFormat>(super + layout.d, block, j) *
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
    for (int i = 0; i < 2; ++i) {
      out.offsets[2 * block + i] = -32 * sums[i];
      out.sums[2 * block + i] = static_cast<std::int16_t>(sums[i]);
    }
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
