// The transformer operators with 16 lanes. This file is compiled for AVX-512: it must not
// instantiate inline functions that other files may share.
#include <immintrin.h>

#include "decoding/kernels/operator_templates.h"

namespace redraft::kernels {
namespace {

struct Lanes16 {
  static constexpr int kLanes = 16;
  using Float = __m512;
  static Float load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Float a) { _mm512_storeu_ps(p, a); }
  static Float load_half(const std::uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static void store_half(std::uint16_t* p, Float a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
  }
  static Float set1(float a) { return _mm512_set1_ps(a); }
  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float sub(Float a, Float b) { return _mm512_sub_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm512_mul_ps(a, b); }
  static Float div(Float a, Float b) { return _mm512_div_ps(a, b); }
  static Float fma(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  static Float min(Float a, Float b) { return _mm512_min_ps(a, b); }
  static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
  static Float round(Float a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static Float scale_by_power_of_2(Float a, Float n) { return _mm512_scalef_ps(a, n); }
  static float sum(Float a) { return _mm512_reduce_add_ps(a); }
  static float largest(Float a) { return _mm512_reduce_max_ps(a); }

  // out[d * 16 + lane] = pointers[lane][d]: 16 x 16 at a time, by pairs, then quadruples, then
  // 128-bit parts.
  static void transpose(const std::uint16_t* const* pointers, int dim, float* out) {
    for (int d = 0; d < dim; d += 16) {
      __m512 rows[16];
      __m512 pairs[16];
      for (int i = 0; i < 16; ++i) rows[i] = load_half(pointers[i] + d);
      for (int i = 0; i < 16; i += 2) {
        pairs[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
      }
      for (int i = 0; i < 16; i += 4) {
        for (int j = 0; j < 2; ++j) {
          const __m512d a = _mm512_castps_pd(pairs[i + j]);
          const __m512d b = _mm512_castps_pd(pairs[i + j + 2]);
          rows[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
          rows[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
      }
      // rows[4 i + j] holds, in 128-bit part p, dimension 4 p + j of positions 4 i .. 4 i + 3.
      for (int j = 0; j < 4; ++j) {
        const __m512 a = _mm512_shuffle_f32x4(rows[j], rows[j + 4], 0x88);
        const __m512 b = _mm512_shuffle_f32x4(rows[j], rows[j + 4], 0xdd);
        const __m512 c = _mm512_shuffle_f32x4(rows[j + 8], rows[j + 12], 0x88);
        const __m512 e = _mm512_shuffle_f32x4(rows[j + 8], rows[j + 12], 0xdd);
        store(out + (d + j) * 16, _mm512_shuffle_f32x4(a, c, 0x88));
        store(out + (d + j + 4) * 16, _mm512_shuffle_f32x4(b, e, 0x88));
        store(out + (d + j + 8) * 16, _mm512_shuffle_f32x4(a, c, 0xdd));
        store(out + (d + j + 12) * 16, _mm512_shuffle_f32x4(b, e, 0xdd));
      }
    }
  }
};

}  // namespace

const OperatorKernels& avx512_operators() {
  static constexpr OperatorKernels kOperators = operators_of<Lanes16>();
  return kOperators;
}

}  // namespace redraft::kernels
