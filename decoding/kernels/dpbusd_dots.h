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
  REDRAFT_INLINE static __m256i widen(__m128i bytes) {
    return kSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
  }

  template <WeightFormat kFormat, int kRows, typename Between>
  REDRAFT_INLINE static void add_scaled(const std::uint8_t* codes, const ActivationSuperblock* x,
                                        std::ptrdiff_t at, const __m256i (&scale)[2],
                                        const Between& between, __m256i (*sums)[2]) {
    __m256i dots[kRows][2];
    for (int row = 0; row < kRows; ++row)
      dots[row][0] = dots[row][1] = run_start<kFormat>(x[row].offsets + at / 16);
    add_groups<run_size(kFormat) / 4, kRows>(codes, x, at, between, dots);
    for (int row = 0; row < kRows; ++row) {
      for (int half = 0; half < 2; ++half)
        sums[row][half] =
            _mm256_add_epi32(sums[row][half], _mm256_mullo_epi32(dots[row][half], scale[half]));
    }
  }

  template <WeightFormat, int kRows, typename Between>
  REDRAFT_INLINE static void add(const std::uint8_t* codes, const ActivationSuperblock* x,
                                 std::ptrdiff_t at, const Between& between, __m256i (*sums)[2]) {
    add_groups<8, kRows>(codes, x, at, between, sums);
  }

 private:
  // What the dot product of a run starts from: the offset of its codes.
  template <WeightFormat kFormat>
  REDRAFT_INLINE static __m256i run_start(const std::int32_t* offsets) {
    if constexpr (has_minimum(kFormat)) return _mm256_setzero_si256();
    const auto both_parts = [](std::int32_t offset) {  // of 16 bits each
      return _mm256_madd_epi16(_mm256_set1_epi32(offset), _mm256_set1_epi16(1));
    };
    __m256i start = both_parts(offsets[0]);
    if constexpr (run_size(kFormat) == kBlock)
      start = _mm256_add_epi32(start, both_parts(offsets[1]));
    constexpr int kOffset = code_offset(kFormat);
    static_assert(kOffset == 0 || kOffset == 4 || kOffset == 32 || kOffset == 128);
    return kOffset == 4     ? _mm256_srai_epi32(start, 3)
           : kOffset == 128 ? _mm256_slli_epi32(start, 2)
                            : start;
  }

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
