#pragma once

#include <immintrin.h>

#include "decoding/kernels/activations.h"

// Shared by the quantisers of AVX2 and AVX-512; each file compiles its own copy.
namespace redraft::kernels {
namespace {

// Fills coarse_sums and coarse_scale from scaled_sums.
inline __attribute__((always_inline)) void coarsen_sums_avx(ActivationSuperblock& x) {
  const __m256 sums = _mm256_loadu_ps(x.scaled_sums);
  const __m256 magnitudes = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), sums);
  // |x| < infinity is false for NaN too.
  const __m256 finite = _mm256_cmp_ps(magnitudes, _mm256_set1_ps(__builtin_inff()), _CMP_LT_OQ);
  __m128 most =
      _mm_max_ps(_mm256_castps256_ps128(magnitudes), _mm256_extractf128_ps(magnitudes, 1));
  most = _mm_max_ps(most, _mm_movehl_ps(most, most));
  const float largest = _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
  const bool all_finite = _mm256_movemask_ps(finite) == 0xff;
  const bool live = all_finite && largest >= kMinMagnitude;
  __m256i coarse = _mm256_setzero_si256();
  if (live)
    coarse = _mm256_cvtps_epi32(_mm256_mul_ps(sums, _mm256_set1_ps(kMaxCoarseSum / largest)));
  const __m128i packed =
      _mm_packs_epi32(_mm256_castsi256_si128(coarse), _mm256_extracti128_si256(coarse, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(x.coarse_sums), packed);
  x.coarse_scale = all_finite ? largest / kMaxCoarseSum : __builtin_nanf("");
}

}  // namespace
}  // namespace redraft::kernels
