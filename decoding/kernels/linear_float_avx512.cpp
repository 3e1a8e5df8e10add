// Unquantised weights for AVX-512: the 16 outputs of a tile in one register, up to eight rows that
// share each widened weight. Every row has two sums, of even and of odd k, added at the end. With a
// single sum, a lone row would wait for each multiply-add before the next, and the bits must not
// depend on how many rows there are.
//
// This file is compiled for AVX-512: it must not instantiate inline functions that other files may
// share.
#include <immintrin.h>

#include "decoding/kernels/float_tile_kernel.h"
#include "decoding/kernels/packed_layout.h"

namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

constexpr int kPrefetchBytes = 8192;  // ahead of the weights being read

template <WeightFormat kFormat>
REDRAFT_INLINE __m512 load_weights(const std::uint8_t* p) {
  if constexpr (kFormat == WeightFormat::kF32) return _mm512_loadu_ps(p);
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  if constexpr (kFormat == WeightFormat::kF16) return _mm512_cvtph_ps(bits);
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

template <WeightFormat kFormat, int kRows>
void float_rows(const std::uint8_t* tile, const float* x, std::size_t ldx, int k, float* out) {
  constexpr int kBytes = kTileOutputs * (kFormat == WeightFormat::kF32 ? 4 : 2);
  __m512 even[kRows];
  __m512 odd[kRows];
  for (int row = 0; row < kRows; ++row) even[row] = odd[row] = _mm512_setzero_ps();
  int i = 0;
  for (; i + 1 < k; i += 2, tile += 2 * kBytes) {
    for (int line = 0; line < 2 * kBytes; line += 64)
      _mm_prefetch(reinterpret_cast<const char*>(tile + kPrefetchBytes + line), _MM_HINT_T0);
    const __m512 first = load_weights<kFormat>(tile);
    const __m512 second = load_weights<kFormat>(tile + kBytes);
    for (int row = 0; row < kRows; ++row) {
      const float* values = x + static_cast<std::size_t>(row) * ldx + i;
      even[row] = _mm512_fmadd_ps(first, _mm512_set1_ps(values[0]), even[row]);
      odd[row] = _mm512_fmadd_ps(second, _mm512_set1_ps(values[1]), odd[row]);
    }
  }
  if (i < k) {
    const __m512 last = load_weights<kFormat>(tile);
    for (int row = 0; row < kRows; ++row) {
      const __m512 value = _mm512_set1_ps(x[static_cast<std::size_t>(row) * ldx + i]);
      even[row] = _mm512_fmadd_ps(last, value, even[row]);
    }
  }
  for (int row = 0; row < kRows; ++row)
    _mm512_storeu_ps(out + row * kTileOutputs, _mm512_add_ps(even[row], odd[row]));
}

template <WeightFormat kFormat>
void float_tile(const std::uint8_t* tile, const float* x, std::size_t ldx, int rows, int k,
                float* out) {
  switch (rows) {
    case 1:
      return float_rows<kFormat, 1>(tile, x, ldx, k, out);
    case 2:
      return float_rows<kFormat, 2>(tile, x, ldx, k, out);
    case 3:
      return float_rows<kFormat, 3>(tile, x, ldx, k, out);
    case 4:
      return float_rows<kFormat, 4>(tile, x, ldx, k, out);
    case 5:
      return float_rows<kFormat, 5>(tile, x, ldx, k, out);
    case 6:
      return float_rows<kFormat, 6>(tile, x, ldx, k, out);
    case 7:
      return float_rows<kFormat, 7>(tile, x, ldx, k, out);
    default:
      return float_rows<kFormat, 8>(tile, x, ldx, k, out);
  }
}

}  // namespace

FloatTileKernel avx512_float_tile_kernel(WeightFormat format) {
  if (format == WeightFormat::kF32) return float_tile<WeightFormat::kF32>;
  if (format == WeightFormat::kF16) return float_tile<WeightFormat::kF16>;
  if (format == WeightFormat::kBF16) return float_tile<WeightFormat::kBF16>;
  return nullptr;
}

}  // namespace redraft::kernels
