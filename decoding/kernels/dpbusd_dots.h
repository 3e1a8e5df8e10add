#pragma once

#include "decoding/kernels/tile_kernel_256.h"

// Dots of tile_kernel_256.h with dpbusd, which adds the products of four unsigned codes and signed
// activations to 32 bits. Dpbusd::add(sums, codes, activations) is the instruction, so that tests
// can emulate it.
namespace redraft::kernels {
namespace {

template <typename Dpbusd>
struct DpbusdDots {
  static constexpr bool kSignedCodes = false;

  template <bool kSigned>
  REDRAFT_INLINE static __m256i load_scale(const std::uint8_t* p) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    return kSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
  }

  template <int kBits, int kGroups, int kRows, typename Between>
  REDRAFT_INLINE static void add_scaled(const std::uint8_t* codes, const ActivationSuperblock* x,
                                        std::ptrdiff_t at, const __m256i (&scale)[2],
                                        const Between& between, __m256i (*sums)[2]) {
    __m256i dots[kRows][2];
    for (int row = 0; row < kRows; ++row) {
      __m256i first = _mm256_setzero_si256();
      if constexpr (kBits == 6)  // two parts in 16 bits each
        first = _mm256_madd_epi16(_mm256_set1_epi32(x[row].offsets[at / 16]), _mm256_set1_epi16(1));
      dots[row][0] = dots[row][1] = first;
    }
    add_groups<kGroups, kRows>(codes, x, at, between, dots);
    for (int row = 0; row < kRows; ++row) {
      for (int half = 0; half < 2; ++half)
        sums[row][half] =
            _mm256_add_epi32(sums[row][half], _mm256_mullo_epi32(dots[row][half], scale[half]));
    }
  }

  template <int, int kRows, typename Between>
  REDRAFT_INLINE static void add(const std::uint8_t* codes, const ActivationSuperblock* x,
                                 std::ptrdiff_t at, const Between& between, __m256i (*sums)[2]) {
    add_groups<8, kRows>(codes, x, at, between, sums);
  }

 private:
  template <int kGroups, int kRows, typename Between>
  REDRAFT_INLINE static void add_groups(const std::uint8_t* codes, const ActivationSuperblock* x,
                                        std::ptrdiff_t at, const Between& between,
                                        __m256i (*sums)[2]) {
#pragma GCC unroll 8
    for (int i = 0; i < kGroups; ++i) {
      const __m256i opened[2] = {load_codes(codes + 64 * i),
                                 load_codes(codes + 64 * i + kHalfBytes)};
#pragma GCC unroll 4
      for (int row = 0; row < kRows; ++row) {
        const __m256i quants = broadcast_group(x[row], at + 4 * i);
        sums[row][0] = Dpbusd::add(sums[row][0], opened[0], quants);
        sums[row][1] = Dpbusd::add(sums[row][1], opened[1], quants);
      }
      between.after(i);
    }
  }
};

}  // namespace
}  // namespace redraft::kernels
