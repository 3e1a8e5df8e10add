// Unquantised weights for AVX2: the 16 outputs of a tile in two registers of 8 lanes, four rows at
// a time, so that eight sums are in progress while each weight is widened once. A (row, output) is
// one chain of fused multiply-adds along k, alone or with other rows.
//
// This file is compiled for AVX2: it must not instantiate inline functions that other files may
// share.
#include <immintrin.h>

#include "decoding/kernels/float_tile_kernel.h"
#include "decoding/kernels/packed_layout.h"

namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

constexpr int kRows = 4;              // of one pass over the tile
constexpr int kPrefetchBytes = 4096;  // ahead of the weights being read

template <WeightFormat kFormat>
REDRAFT_INLINE __m256 load_weights(const std::uint8_t* p) {
  if constexpr (kFormat == WeightFormat::kF32)
    return _mm256_loadu_ps(reinterpret_cast<const float*>(p));
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  if constexpr (kFormat == WeightFormat::kF16) return _mm256_cvtph_ps(bits);
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

template <WeightFormat kFormat, int kCount>
void float_rows(const std::uint8_t* tile, const float* x, std::size_t ldx, int k, float* out) {
  constexpr int kHalf = kTileOutputs / 2 * (kFormat == WeightFormat::kF32 ? 4 : 2);
  __m256 low[kCount];
  __m256 high[kCount];
  for (int row = 0; row < kCount; ++row) low[row] = high[row] = _mm256_setzero_ps();
  for (int i = 0; i < k; ++i, tile += 2 * kHalf) {
    if (i % (64 / kHalf) == 0) {
      _mm_prefetch(reinterpret_cast<const char*>(tile + kPrefetchBytes), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(tile + kPrefetchBytes + 64), _MM_HINT_T0);
    }
    const __m256 first = load_weights<kFormat>(tile);
    const __m256 second = load_weights<kFormat>(tile + kHalf);
    for (int row = 0; row < kCount; ++row) {
      const __m256 value = _mm256_broadcast_ss(x + static_cast<std::size_t>(row) * ldx + i);
      low[row] = _mm256_fmadd_ps(first, value, low[row]);
      high[row] = _mm256_fmadd_ps(second, value, high[row]);
    }
  }
  for (int row = 0; row < kCount; ++row) {
    _mm256_storeu_ps(out + row * kTileOutputs, low[row]);
    _mm256_storeu_ps(out + row * kTileOutputs + kTileOutputs / 2, high[row]);
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

FloatTileKernel avx2_float_tile_kernel(WeightFormat format) {
  if (format == WeightFormat::kF32) return float_tile<WeightFormat::kF32>;
  if (format == WeightFormat::kF16) return float_tile<WeightFormat::kF16>;
  if (format == WeightFormat::kBF16) return float_tile<WeightFormat::kBF16>;
  return nullptr;
}

}  // namespace redraft::kernels
