// The kernels of decoding/kernels/linear_avx_vnni.cpp with dpbusd emulated in AVX2.
//
// This file is compiled for AVX2: it must not instantiate inline functions that other files may
// share.
#include "tests/decoding/kernels/emulated_dpbusd.h"

#include "decoding/kernels/dpbusd_dots.h"

namespace redraft::kernels {
namespace {

struct EmulatedDpbusd {
  // Every product of a byte from 0 to 255 and one from -128 to 127 fits 16 bits.
  static __m256i add(__m256i sums, __m256i codes, __m256i activations) {
    const __m256i one = _mm256_set1_epi16(1);
    const __m256i even_codes = _mm256_and_si256(codes, _mm256_set1_epi16(255));
    const __m256i even = _mm256_srai_epi16(_mm256_slli_epi16(activations, 8), 8);
    const __m256i odd = _mm256_srai_epi16(activations, 8);
    const __m256i a = _mm256_mullo_epi16(even_codes, even);
    const __m256i b = _mm256_mullo_epi16(_mm256_srli_epi16(codes, 8), odd);
    const __m256i all = _mm256_add_epi32(_mm256_madd_epi16(a, one), _mm256_madd_epi16(b, one));
    return _mm256_add_epi32(sums, all);
  }
};

}  // namespace

TileKernel emulated_avx_vnni_tile_kernel(WeightFormat format) {
  return Kernels<DpbusdDots<EmulatedDpbusd>>::of_format(format);
}

}  // namespace redraft::kernels
