// The transformer operators with 8 lanes. This file is compiled for AVX2: it must not instantiate
// inline functions that other files may share.
#include <immintrin.h>

#include "decoding/kernels/attention_template.h"

namespace redraft::kernels {
namespace {

struct Lanes8 {
  static constexpr int kLanes = 8;
  static constexpr int kQueries = 4;  // 8 sums and their operands, in 16 registers
  using Float = __m256;
  using Int = __m256i;
  using Sum = Int;
  static Float load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Float a) { _mm256_storeu_ps(p, a); }
  static void store_fixed(std::int16_t* p, Float a) {
    const __m256i ints = _mm256_cvtps_epi32(a);
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(p),
        _mm_packs_epi32(_mm256_castsi256_si128(ints), _mm256_extracti128_si256(ints, 1)));
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
  // |n| <= 127: a normal power of two, constructed from its exponent.
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

  static Int zero() { return _mm256_setzero_si256(); }
  static Int load_int(const std::int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static Int pair(const std::int16_t* p) {
    int both;
    __builtin_memcpy(&both, p, sizeof(both));
    return _mm256_set1_epi32(both);
  }
  static Int dot_pairs(Int sum, Int a, Int b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
  static Float to_float(Int a) { return _mm256_cvtepi32_ps(a); }

  // out[pair] = a[i], b[i]; 8 pairs.
  static void interleave(const std::int16_t* a, const std::int16_t* b, std::int32_t* out) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi16(low, high));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 4), _mm_unpackhi_epi16(low, high));
  }

  // out[pair * 8 + lane] = the pair of pointers[lane], 8 x 8 pairs at a time.
  static void transpose(const std::int16_t* const* pointers, int dim, std::int32_t* out) {
    for (int d = 0; d < dim; d += 16, out += 64) {
      __m256i rows[8];
      __m256i twos[8];
      for (int i = 0; i < 8; ++i)
        rows[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pointers[i] + d));
      for (int i = 0; i < 8; i += 2) {
        twos[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
        twos[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
      }
      for (int i = 0; i < 8; i += 4) {
        for (int j = 0; j < 2; ++j) {
          rows[i + 2 * j] = _mm256_unpacklo_epi64(twos[i + j], twos[i + j + 2]);
          rows[i + 2 * j + 1] = _mm256_unpackhi_epi64(twos[i + j], twos[i + j + 2]);
        }
      }
      auto* to = reinterpret_cast<__m256i*>(out);
      for (int j = 0; j < 4; ++j) {
        _mm256_storeu_si256(to + j, _mm256_permute2x128_si256(rows[j], rows[j + 4], 0x20));
        _mm256_storeu_si256(to + j + 4, _mm256_permute2x128_si256(rows[j], rows[j + 4], 0x31));
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
