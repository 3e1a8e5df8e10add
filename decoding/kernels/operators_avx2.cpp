// The transformer operators with 8 lanes. This file is compiled for AVX2: it must not instantiate
// inline functions that other files may share.
#include <immintrin.h>

#include "decoding/kernels/operator_templates.h"

namespace redraft::kernels {
namespace {

struct Lanes8 {
  static constexpr int kLanes = 8;
  using Float = __m256;
  static Float load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Float a) { _mm256_storeu_ps(p, a); }
  static Float load_half(const std::uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static void store_half(std::uint16_t* p, Float a) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }
  static Float set1(float a) { return _mm256_set1_ps(a); }
  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float sub(Float a, Float b) { return _mm256_sub_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float div(Float a, Float b) { return _mm256_div_ps(a, b); }
  static Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static Float min(Float a, Float b) { return _mm256_min_ps(a, b); }
  static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
  static Float round(Float a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  // |n| <= 127: a normal power of two, made from its exponent.
  static Float scale_by_power_of_2(Float a, Float n) {
    const __m256i exponent =
        _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
    return _mm256_mul_ps(a, _mm256_castsi256_ps(exponent));
  }
  static float sum(Float a) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
  }
  static float largest(Float a) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
  }

  // out[d * 8 + lane] = pointers[lane][d], 8 x 8 at a time.
  static void transpose(const std::uint16_t* const* pointers, int dim, float* out) {
    for (int d = 0; d < dim; d += 8) {
      __m256 rows[8];
      __m256 pairs[8];
      for (int i = 0; i < 8; ++i) rows[i] = load_half(pointers[i] + d);
      for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_unpacklo_ps(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_ps(rows[i], rows[i + 1]);
      }
      for (int i = 0; i < 8; i += 4) {
        for (int j = 0; j < 2; ++j) {
          rows[i + 2 * j] = _mm256_shuffle_ps(pairs[i + j], pairs[i + j + 2], 0x44);
          rows[i + 2 * j + 1] = _mm256_shuffle_ps(pairs[i + j], pairs[i + j + 2], 0xee);
        }
      }
      for (int j = 0; j < 4; ++j) {
        store(out + (d + j) * 8, _mm256_permute2f128_ps(rows[j], rows[j + 4], 0x20));
        store(out + (d + j + 4) * 8, _mm256_permute2f128_ps(rows[j], rows[j + 4], 0x31));
      }
    }
  }
};

}  // namespace

const OperatorKernels& avx2_operators() {
  static constexpr OperatorKernels kOperators = operators_of<Lanes8>();
  return kOperators;
}

}  // namespace redraft::kernels
