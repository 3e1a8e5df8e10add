#pragma once

#include <immintrin.h>

#include "decoding/kernels/packed_layout.h"

// How AVX-512 reads packed weights: shared by the VNNI and the AMX kernels, which must give the
// same bits. In an unnamed namespace, because every file is compiled for other instructions and
// needs its own copy.
namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

REDRAFT_INLINE __m512 load_halves(const std::uint8_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
REDRAFT_INLINE __m128i load_bytes(const std::uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// For every format without minima the offset is scaled to 32 by shifting the codes (and dividing
// the scale by the same power of two, which is exact), so that a row's dot product can start from
// the -32 * sum that the activations carry. For Q8_0 it is 4 * 32.
constexpr int code_shift(WeightFormat format) {
  return format == WeightFormat::kQ4_0 ? 2 : format == WeightFormat::kQ5_0 ? 1 : 0;
}

// Shifts left, or right if `left` is negative.
REDRAFT_INLINE __m512i move_bits(__m512i bits, int left) {
  return left > 0   ? _mm512_slli_epi16(bits, static_cast<unsigned>(left))
         : left < 0 ? _mm512_srli_epi16(bits, static_cast<unsigned>(-left))
                    : bits;
}

// Group `group` of a block's codes as unsigned bytes.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512i open_group(const std::uint8_t* block, int group) {
  constexpr int kBits = code_bits(kFormat);
  constexpr int kShift = code_shift(kFormat);
  if constexpr (kBits == 8) {
    return _mm512_xor_si512(_mm512_loadu_si512(block + 64 * group),
                            _mm512_set1_epi8(static_cast<char>(0x80)));
  }
  if constexpr (kBits == 6) {
    const std::uint8_t* four = block + 192 * (group / 4);
    const __m512i six = _mm512_set1_epi8(63);
    if (group % 4 < 3) return _mm512_and_si512(_mm512_loadu_si512(four + 64 * (group % 4)), six);
    constexpr int kSelect = 0xca;  // ternary logic a ? b : c
    const __m512i low = _mm512_srli_epi16(_mm512_loadu_si512(four), 6);
    const __m512i middle = _mm512_srli_epi16(_mm512_loadu_si512(four + 64), 4);
    const __m512i high = _mm512_srli_epi16(_mm512_loadu_si512(four + 128), 2);
    const __m512i lower = _mm512_ternarylogic_epi32(_mm512_set1_epi8(3), low, middle, kSelect);
    return _mm512_and_si512(_mm512_ternarylogic_epi32(_mm512_set1_epi8(15), lower, high, kSelect),
                            six);
  }
  const __m512i pair = _mm512_loadu_si512(block + 64 * (group / 2));
  const __m512i low = _mm512_and_si512(move_bits(pair, kShift - group % 2 * 4),
                                       _mm512_set1_epi8(static_cast<char>(15 << kShift)));
  if constexpr (kBits == 5) {
    constexpr int kOrAnd = 0xf8;  // ternary logic a | (b & c)
    const __m512i high = move_bits(_mm512_loadu_si512(block + 256), 4 + kShift - group);
    return _mm512_ternarylogic_epi32(low, high, _mm512_set1_epi8(16 << kShift), kOrAnd);
  }
  return low;
}

// 16 scales of a block of a format with float scales, for codes as unpacked by open_group.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512 load_scales(const std::uint8_t* p) {
  const __m512 d = load_halves(p);
  if constexpr (code_shift(kFormat) == 0) return d;
  return _mm512_mul_ps(d, _mm512_set1_ps(1.0f / (1 << code_shift(kFormat))));
}

// The minima of a superblock of a K format: integers of two neighbouring blocks, and their scale.
struct Minima {
  __m512i mins[4];
  __m512 m;
};

template <WeightFormat kFormat>
REDRAFT_INLINE Minima load_minima(const std::uint8_t* super) {
  constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  Minima minima;
  minima.m = load_halves(super + kLayout.m);
  for (int i = 0; i < 4; ++i) {
    minima.mins[i] = _mm512_cvtepu8_epi16(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(super + kLayout.mins + 32 * i)));
  }
  return minima;
}

// sum - minima of a superblock times the sums of its activations.
REDRAFT_INLINE __m512 subtract_minima(const Minima& minima, const ActivationSuperblock& x,
                                      __m512 sum) {
  __m512i dot = _mm512_setzero_si512();
  for (int i = 0; i < 4; ++i) {
    int two;
    __builtin_memcpy(&two, x.coarse_sums + 2 * i, 4);
    dot = _mm512_dpwssd_epi32(dot, minima.mins[i], _mm512_set1_epi32(two));
  }
  const __m512 scale = _mm512_mul_ps(minima.m, _mm512_set1_ps(x.coarse_scale));
  return _mm512_fnmadd_ps(scale, _mm512_cvtepi32_ps(dot), sum);
}

}  // namespace
}  // namespace redraft::kernels
