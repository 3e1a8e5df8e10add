// The transformer operators with 16 lanes. This file is compiled for AVX-512: it must not
// instantiate inline functions that other files may share.
#include <immintrin.h>

#include "decoding/kernels/attention_template.h"

namespace redraft::kernels {
namespace {

struct Lanes16 {
  static constexpr int kLanes = 16;
  static constexpr int kQueries = 8;  // 16 sums and their operands, in 32 registers
  using Float = __m512;
  using Int = __m512i;
  using Sum = Int;
  static Float load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Float a) { _mm512_storeu_ps(p, a); }
  static void store_fixed(std::int16_t* p, Float a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(a)));
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

  static Int zero() { return _mm512_setzero_si512(); }
  static Int load_int(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static Int pair(const std::int16_t* p) {
    int both;
    __builtin_memcpy(&both, p, sizeof(both));
    return _mm512_set1_epi32(both);
  }
  static Int dot_pairs(Int sum, Int a, Int b) { return _mm512_dpwssd_epi32(sum, a, b); }
  static Float to_float(Int a) { return _mm512_cvtepi32_ps(a); }

  // out[pair] = a[i], b[i]; 16 pairs.
  static void interleave(const std::int16_t* a, const std::int16_t* b, std::int32_t* out) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
    const __m512i wide = _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16);
    _mm512_storeu_si512(out, _mm512_or_si512(_mm512_cvtepu16_epi32(low), wide));
  }

  // out[pair * 16 + lane] = the pair of pointers[lane]: 16 x 16 pairs at a time, in steps of two,
  // four and then 128-bit parts. Zeros past `dim`.
  static void transpose(const std::int16_t* const* pointers, int dim, std::int32_t* out) {
    for (int d = 0; d < dim; d += 32, out += 256) {
      const auto mask = static_cast<__mmask16>(dim - d < 32 ? (1 << (dim - d) / 2) - 1 : 0xffff);
      __m512i rows[16];
      __m512i twos[16];
      for (int i = 0; i < 16; ++i) rows[i] = _mm512_maskz_loadu_epi32(mask, pointers[i] + d);
      for (int i = 0; i < 16; i += 2) {
        twos[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
        twos[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
      }
      for (int i = 0; i < 16; i += 4) {
        for (int j = 0; j < 2; ++j) {
          rows[i + 2 * j] = _mm512_unpacklo_epi64(twos[i + j], twos[i + j + 2]);
          rows[i + 2 * j + 1] = _mm512_unpackhi_epi64(twos[i + j], twos[i + j + 2]);
        }
      }
      // rows[4 i + j] holds, in 128-bit part p, pair 4 p + j of positions 4 i .. 4 i + 3.
      for (int j = 0; j < 4; ++j) {
        const __m512i a = _mm512_shuffle_i32x4(rows[j], rows[j + 4], 0x88);
        const __m512i b = _mm512_shuffle_i32x4(rows[j], rows[j + 4], 0xdd);
        const __m512i c = _mm512_shuffle_i32x4(rows[j + 8], rows[j + 12], 0x88);
        const __m512i e = _mm512_shuffle_i32x4(rows[j + 8], rows[j + 12], 0xdd);
        _mm512_storeu_si512(out + j * 16, _mm512_shuffle_i32x4(a, c, 0x88));
        _mm512_storeu_si512(out + (j + 4) * 16, _mm512_shuffle_i32x4(b, e, 0x88));
        _mm512_storeu_si512(out + (j + 8) * 16, _mm512_shuffle_i32x4(a, c, 0xdd));
        _mm512_storeu_si512(out + (j + 12) * 16, _mm512_shuffle_i32x4(b, e, 0xdd));
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
