// Unquantised weights for NEON: the 16 outputs of a tile in four registers, four rows at a time, so
// that 16 sums are in progress while each weight is widened once. A row's values are lanes of a
// register, four k at a time. A (row, output) is one chain of fused multiply-adds along k, as for
// AVX2, alone or with other rows.
#include <arm_neon.h>

#include "decoding/kernels/float_tile_kernel.h"
#include "decoding/kernels/neon_peak.h"
#include "decoding/kernels/packed_layout.h"

namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

constexpr int kRows = 4;  // of one pass over the tile
constexpr int kFours = kTileOutputs / 4;
constexpr int kPrefetchBytes = 4096;  // ahead of the weights being read

template <WeightFormat kFormat>
constexpr int kElement = kFormat == WeightFormat::kF32 ? 4 : 2;

template <WeightFormat kFormat>
REDRAFT_INLINE float32x4_t load_weights(const std::uint8_t* p) {
  if constexpr (kFormat == WeightFormat::kF32) return vreinterpretq_f32_u8(vld1q_u8(p));
  const uint8x8_t bits = vld1_u8(p);
  if constexpr (kFormat == WeightFormat::kF16) return vcvt_f32_f16(vreinterpret_f16_u8(bits));
  return vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(bits), 16));
}

// Adds the products of one k; get(row, weights, sum) is the multiply-add with the row's value.
template <WeightFormat kFormat, int kCount, typename MultiplyAdd>
REDRAFT_INLINE void add_products(const std::uint8_t* weights, float32x4_t (*sums)[kFours],
                                 const MultiplyAdd& multiply_add) {
#pragma GCC unroll 4
  for (int four = 0; four < kFours; ++four) {
    const float32x4_t weight = load_weights<kFormat>(weights + four * 4 * kElement<kFormat>);
#pragma GCC unroll 4
    for (int row = 0; row < kCount; ++row)
      sums[row][four] = multiply_add(sums[row][four], weight, row);
  }
}

template <WeightFormat kFormat, int kCount>
void float_rows(const std::uint8_t* tile, const float* x, std::size_t ldx, int k, float* out) {
  constexpr int kStep = kTileOutputs * kElement<kFormat>;  // from one k to the next
  float32x4_t sums[kCount][kFours];
  for (auto& row : sums) {
    for (float32x4_t& sum : row) sum = vdupq_n_f32(0);
  }
  int i = 0;
  for (; i + 4 <= k; i += 4, tile += 4 * kStep) {
    for (int at = 0; at < 4 * kStep; at += 64) __builtin_prefetch(tile + kPrefetchBytes + at);
    float32x4_t values[kCount];
#pragma GCC unroll 4
    for (int row = 0; row < kCount; ++row)
      values[row] = vld1q_f32(x + static_cast<std::size_t>(row) * ldx + i);
    using Vector = float32x4_t;
    add_products<kFormat, kCount>(tile, sums, [&](Vector sum, Vector weight, int row) {
      return vfmaq_laneq_f32(sum, weight, values[row], 0);
    });
    add_products<kFormat, kCount>(tile + kStep, sums, [&](Vector sum, Vector weight, int row) {
      return vfmaq_laneq_f32(sum, weight, values[row], 1);
    });
    add_products<kFormat, kCount>(tile + 2 * kStep, sums, [&](Vector sum, Vector weight, int row) {
      return vfmaq_laneq_f32(sum, weight, values[row], 2);
    });
    add_products<kFormat, kCount>(tile + 3 * kStep, sums, [&](Vector sum, Vector weight, int row) {
      return vfmaq_laneq_f32(sum, weight, values[row], 3);
    });
  }
  for (; i < k; ++i, tile += kStep) {
    add_products<kFormat, kCount>(tile, sums, [&](float32x4_t sum, float32x4_t weight, int row) {
      return vfmaq_n_f32(sum, weight, x[static_cast<std::size_t>(row) * ldx + i]);
    });
  }
  for (int row = 0; row < kCount; ++row) {
    for (int four = 0; four < kFours; ++four)
      vst1q_f32(out + row * kTileOutputs + 4 * four, sums[row][four]);
  }
}

template <WeightFormat kFormat>
void float_tile(const std::uint8_t* tile, const float* x, std::size_t ldx, int rows, int k,
                float* out) {
  for (; rows >= kRows; rows -= kRows, x += kRows * ldx, out += kRows * kTileOutputs)
    float_rows<kFormat, kRows>(tile, x, ldx, k, out);
  if (rows == 3) float_rows<kFormat, 3>(tile, x, ldx, k, out);
  if (rows == 2) float_rows<kFormat, 2>(tile, x, ldx, k, out);
  if (rows == 1) float_rows<kFormat, 1>(tile, x, ldx, k, out);
}

}  // namespace

FloatTileKernel neon_float_tile_kernel(WeightFormat format) {
  if (format == WeightFormat::kF32) return float_tile<WeightFormat::kF32>;
  if (format == WeightFormat::kF16) return float_tile<WeightFormat::kF16>;
  if (format == WeightFormat::kBF16) return float_tile<WeightFormat::kBF16>;
  return nullptr;
}

std::int64_t neon_f32_macs() {
  return peak_macs<4>(vdupq_n_f32(0), [](float32x4_t sum) {
    const float32x4_t a = vdupq_n_f32(0.5f);
    return vfmaq_laneq_f32(sum, a, a, 0);
  });
}

}  // namespace redraft::kernels
