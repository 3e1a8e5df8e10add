#pragma once

#include <immintrin.h>

#include "decoding/kernels/packed_layout.h"

// How registers of 256 bits read packed weights, eight outputs at a time. See tile_kernel_256.h for
// Dots. In an unnamed namespace, because every file is compiled for other instructions and needs
// its own copy.
namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

REDRAFT_INLINE __m256i load_codes(const std::uint8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
REDRAFT_INLINE __m128i load_eight(const std::uint8_t* p) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
}
REDRAFT_INLINE __m256 load_halves(const std::uint8_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

// Shifts left, or right if `left` is negative, and keeps the bits in `mask`.
REDRAFT_INLINE __m256i move_bits(__m256i bits, int left, __m256i mask) {
  return _mm256_and_si256(
      left >= 0 ? _mm256_slli_epi16(bits, left) : _mm256_srli_epi16(bits, -left), mask);
}

// From the codes of eight outputs to those of the next eight.
constexpr int kHalfBytes = 32;

// Whether the opened codes of a format may be negative.
template <typename Dots, WeightFormat kFormat>
constexpr bool opens_signed() {
  return product_bits(kFormat) == 8 && Dots::kSignedCodes;
}

// Group `group` of a block's codes for eight outputs; `p` points at their bytes in the first 64 of
// the block.
template <typename Dots, WeightFormat kFormat>
REDRAFT_INLINE __m256i open_group(const std::uint8_t* p, int group) {
  constexpr int kBits = code_bits(kFormat);
  if constexpr (kBits == 8)  // from signed to unsigned, as from two's complement plus 128
    return _mm256_xor_si256(load_codes(p + group * 64), _mm256_set1_epi8(-128));
  if constexpr (kBits == 6) {
    const std::uint8_t* four = p + 192 * (group / 4);
    if (group % 4 < 3)
      return _mm256_and_si256(load_codes(four + 64 * (group % 4)), _mm256_set1_epi8(63));
    const __m256i low = move_bits(load_codes(four), -6, _mm256_set1_epi8(3));
    const __m256i middle = move_bits(load_codes(four + 64), -4, _mm256_set1_epi8(12));
    const __m256i high = move_bits(load_codes(four + 128), -2, _mm256_set1_epi8(48));
    return _mm256_or_si256(_mm256_or_si256(low, middle), high);
  }
  if constexpr (kBits < 4) {
    const __m256i low =
        move_bits(load_codes(p + group / 4 * 64), group % 4 * -2, _mm256_set1_epi8(3));
    if constexpr (kBits == 2) return low;
    const __m256i high = load_codes(p + 128);
    return _mm256_or_si256(low, move_bits(high, 2 - group, _mm256_set1_epi8(4)));
  }
  const __m256i nibbles =
      move_bits(load_codes(p + group / 2 * 64), group % 2 * -4, _mm256_set1_epi8(15));
  if constexpr (has_table(kFormat)) {
    static constexpr OpenTable kTable =
        open_table(kFormat, opens_signed<Dots, kFormat>() ? 0 : code_offset(kFormat));
    const __m128i table = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kTable.bytes));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), nibbles);
  }
  if constexpr (kBits == 5) {
    const __m256i high = load_codes(p + 256);
    return _mm256_or_si256(nibbles, move_bits(high, 4 - group, _mm256_set1_epi8(16)));
  }
  return nibbles;
}

// A block's scales for eight outputs.
template <WeightFormat kFormat>
REDRAFT_INLINE __m256 load_scales(const std::uint8_t* p) {
  if constexpr (kFormat != WeightFormat::kMXFP4) return load_halves(p);
  // 2^(exponent - 127); that of the exponent 0 is a subnormal number.
  const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu8_epi32(load_eight(p)), 23);
  const __m256i doubled = _mm256_max_epi32(bits, _mm256_set1_epi32(0x00400000));
  return _mm256_mul_ps(_mm256_castsi256_ps(doubled), _mm256_set1_ps(0.5f));
}

// A run's scales for eight outputs.
template <typename Dots, WeightFormat kFormat>
REDRAFT_INLINE __m256i load_run_scale(const std::uint8_t* p) {
  const __m128i bytes = load_eight(p);
  return Dots::template widen<has_signed_scales(kFormat)>(
      has_nibble_scales(kFormat) ? _mm_and_si128(bytes, _mm_set1_epi8(15)) : bytes);
}

}  // namespace
}  // namespace redraft::kernels
