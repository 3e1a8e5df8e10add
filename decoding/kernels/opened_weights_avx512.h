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
// the -32 * sum that the activations carry. For eight bits it is 4 * 32.
constexpr int code_shift(WeightFormat format) {
  return code_offset(format) == 4    ? 3
         : code_offset(format) == 8  ? 2
         : code_offset(format) == 16 ? 1
                                     : 0;
}

// Shifts left, or right if `left` is negative.
REDRAFT_INLINE __m512i move_bits(__m512i bits, int left) {
  return left > 0   ? _mm512_slli_epi16(bits, static_cast<unsigned>(left))
         : left < 0 ? _mm512_srli_epi16(bits, static_cast<unsigned>(-left))
                    : bits;
}

// Group `group` of four-bit codes, each replaced by its entry in a table of 16 bytes.
REDRAFT_INLINE __m512i look_up_group(const std::uint8_t* block, int group, const OpenTable& table) {
  const __m512i pair = _mm512_loadu_si512(block + 64 * (group / 2));
  const __m512i codes = _mm512_and_si512(move_bits(pair, group % 2 * -4), _mm512_set1_epi8(15));
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(load_bytes(table.bytes)), codes);
}

// Group `group` of a block's codes as unsigned bytes.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512i open_group(const std::uint8_t* block, int group) {
  constexpr int kBits = code_bits(kFormat);
  constexpr int kShift = code_shift(kFormat);
  constexpr int kOrAnd = 0xf8;  // ternary logic a | (b & c)
  if constexpr (has_table(kFormat)) {
    static constexpr OpenTable kUnsigned = open_table(kFormat, code_offset(kFormat), 1 << kShift);
    return look_up_group(block, group, kUnsigned);
  }
  if constexpr (kBits < 4) {
    const __m512i four = _mm512_loadu_si512(block + 64 * (group / 4));
    const __m512i low = _mm512_and_si512(move_bits(four, kShift - group % 4 * 2),
                                         _mm512_set1_epi8(static_cast<char>(3 << kShift)));
    if constexpr (kBits == 2) return low;
    const __m512i high = move_bits(_mm512_loadu_si512(block + 128), 2 + kShift - group);
    return _mm512_ternarylogic_epi32(low, high, _mm512_set1_epi8(4 << kShift), kOrAnd);
  }
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
    const __m512i high = move_bits(_mm512_loadu_si512(block + 256), 4 + kShift - group);
    return _mm512_ternarylogic_epi32(low, high, _mm512_set1_epi8(16 << kShift), kOrAnd);
  }
  return low;
}

// The float scales of 16 outputs, for codes as unpacked by open_group.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512 load_scales(const std::uint8_t* p) {
  constexpr float kFactor = 1.0f / (1 << code_shift(kFormat));
  if constexpr (kFormat == WeightFormat::kMXFP4) {
    // 2^(exponent - 127); that of the exponent 0 is a subnormal number.
    const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu8_epi32(load_bytes(p)), 23);
    const __m512i doubled = _mm512_max_epi32(bits, _mm512_set1_epi32(0x00400000));
    return _mm512_mul_ps(_mm512_castsi512_ps(doubled), _mm512_set1_ps(kFactor / 2));
  }
  const __m512 d = load_halves(p);
  if constexpr (code_shift(kFormat) == 0) return d;
  return _mm512_mul_ps(d, _mm512_set1_ps(kFactor));
}

// The integer scales of a run for 16 outputs.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512i load_run_scales(const std::uint8_t* p) {
  const __m128i bytes = load_bytes(p);
  if constexpr (has_signed_scales(kFormat)) return _mm512_cvtepi8_epi32(bytes);
  if constexpr (has_nibble_scales(kFormat))
    return _mm512_cvtepu8_epi32(_mm_and_si128(bytes, _mm_set1_epi8(15)));
  return _mm512_cvtepu8_epi32(bytes);
}

// The minima of a superblock of a K format: integers of kPairs pairs of neighbouring blocks, or of
// runs, and their scale.
template <int kPairs>
struct Minima {
  __m512i mins[kPairs];
  __m512 m;
};

template <WeightFormat kFormat>
REDRAFT_INLINE auto load_minima(const std::uint8_t* super) {
  constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kPairs = has_nibble_scales(kFormat) ? 8 : 4;
  Minima<kPairs> minima;
  minima.m = load_halves(super + kLayout.m);
  for (int i = 0; i < kPairs; ++i) {
    if constexpr (has_nibble_scales(kFormat)) {
      const std::uint8_t* scales = super + kLayout.scales + 32 * i;
      const __m512i first = _mm512_cvtepu8_epi32(load_bytes(scales));
      const __m512i second = _mm512_cvtepu8_epi32(load_bytes(scales + kTileOutputs));
      minima.mins[i] = _mm512_srli_epi16(_mm512_or_si512(first, _mm512_slli_epi32(second, 16)), 4);
    } else {
      minima.mins[i] = _mm512_cvtepu8_epi16(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(super + kLayout.mins + 32 * i)));
    }
  }
  return minima;
}

// sum += the products of two neighbouring minima and two integers of a row.
REDRAFT_INLINE __m512i dot_of_two(__m512i sum, __m512i mins, const std::int16_t* of_row) {
  int two;
  __builtin_memcpy(&two, of_row, 4);
  return _mm512_dpwssd_epi32(sum, mins, _mm512_set1_epi32(two));
}

// sum - minima of a superblock times the sums of its activations.
REDRAFT_INLINE __m512 subtract_minima(const Minima<4>& minima, const ActivationSuperblock& x,
                                      __m512 sum) {
  __m512i dot = _mm512_setzero_si512();
  for (int i = 0; i < 4; ++i) dot = dot_of_two(dot, minima.mins[i], x.coarse_sums + 2 * i);
  const __m512 scale = _mm512_mul_ps(minima.m, _mm512_set1_ps(x.coarse_scale));
  return _mm512_fnmadd_ps(scale, _mm512_cvtepi32_ps(dot), sum);
}

// The same for minima of 16 weights, whose sums are exact.
REDRAFT_INLINE __m512 subtract_minima(const Minima<8>& minima, const ActivationSuperblock& x,
                                      __m512 sum) {
  __m512 all = _mm512_setzero_ps();
  for (int pair = 0; pair < 4; ++pair) {
    __m512i dot = _mm512_setzero_si512();
    for (int i = 2 * pair; i < 2 * pair + 2; ++i)
      dot = dot_of_two(dot, minima.mins[i], x.sums + 2 * i);
    all = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot), _mm512_set1_ps(x.scales[2 * pair]), all);
  }
  return _mm512_fnmadd_ps(minima.m, all, sum);
}

}  // namespace
}  // namespace redraft::kernels
