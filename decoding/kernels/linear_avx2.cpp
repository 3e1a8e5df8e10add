// Tile kernels for AVX2: the 16 outputs in two registers of 8 lanes ("halves"), up to eight rows;
// an activation is broadcast once for both. maddubs
// multiplies unsigned codes by signed activations and adds pairs into 16 bits; as many of its
// results are added in 16 bits as cannot overflow (|activation| <= 127). Then madd widens to 32
// bits and, in K formats, multiplies by the block's integer scale at no extra cost. Eight-bit codes
// are signed: their sign moves to the activation. The integers are exact, so their order is free;
// the float part of a (row, output) runs front to back and is the same for every number of rows.
//
// This file is compiled for AVX2: it must not instantiate inline functions that other files may
// share.
#include <immintrin.h>

#include "decoding/kernels/coarse_sums_avx.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/quantize_template.h"
#include "decoding/kernels/tile_kernel_template.h"

namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

REDRAFT_INLINE __m256i load_codes(const std::uint8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
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

// Group `group` of a block's codes for eight outputs; `p` points at their bytes in the first 64 of
// the block.
template <int kBits>
REDRAFT_INLINE __m256i open_group(const std::uint8_t* p, int group) {
  if constexpr (kBits == 8) return load_codes(p + group * 64);
  if constexpr (kBits == 6) {
    const std::uint8_t* four = p + 192 * (group / 4);
    if (group % 4 < 3)
      return _mm256_and_si256(load_codes(four + 64 * (group % 4)), _mm256_set1_epi8(63));
    const __m256i low = move_bits(load_codes(four), -6, _mm256_set1_epi8(3));
    const __m256i middle = move_bits(load_codes(four + 64), -4, _mm256_set1_epi8(12));
    const __m256i high = move_bits(load_codes(four + 128), -2, _mm256_set1_epi8(48));
    return _mm256_or_si256(_mm256_or_si256(low, middle), high);
  }
  const __m256i nibbles =
      move_bits(load_codes(p + group / 2 * 64), group % 2 * -4, _mm256_set1_epi8(15));
  if constexpr (kBits == 5) {
    const __m256i high = load_codes(p + 256);
    return _mm256_or_si256(nibbles, move_bits(high, 4 - group, _mm256_set1_epi8(16)));
  }
  return nibbles;
}

template <int kBits>
REDRAFT_INLINE __m256i multiply(__m256i codes, __m256i quants) {
  if constexpr (kBits == 8)
    return _mm256_maddubs_epi16(_mm256_abs_epi8(codes), _mm256_sign_epi8(quants, codes));
  return _mm256_maddubs_epi16(codes, quants);
}

// sums[half][row] += the dot products of kCount groups, from `first` on, of the block whose codes
// are at `p`, times `scale[half]`, which has 16-bit numbers in pairs for each output; exact. The
// rows' activations for the first of these groups are at `x[row].quants + at`. Each four of them
// are broadcast once, for the outputs of both halves.
template <int kBits, int kCount, int kRows>
REDRAFT_INLINE void add_dots(const std::uint8_t* p, int first, const ActivationSuperblock* x,
                             int at, const __m256i (&scale)[2], __m256i (&sums)[2][kRows]) {
  // Two products of at most (2^bits - 1) * 127 make one 16-bit lane: 8, 4 and 2 of them stay below
  // 32768.
  constexpr int kDepth = kBits == 4 ? 8 : kBits == 5 ? 4 : kBits == 6 ? 2 : 1;
  constexpr int kChunk = kBits == 8 ? 2 : 4;  // groups whose codes stay in registers
  __m256i narrow[2][kRows];
#pragma GCC unroll 4
  for (int chunk = 0; chunk < kCount; chunk += kChunk) {
    __m256i codes[2][kChunk];
#pragma GCC unroll 4
    for (int i = 0; i < kChunk; ++i) {
      codes[0][i] = open_group<kBits>(p, first + chunk + i);
      codes[1][i] = open_group<kBits>(p + kHalfBytes, first + chunk + i);
    }
#pragma GCC unroll 8
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int i = 0; i < kChunk; ++i) {
        int four;
        __builtin_memcpy(&four, x[row].quants + at + 4 * (chunk + i), 4);
        const __m256i quants = _mm256_set1_epi32(four);
        const bool begins = (chunk + i) % kDepth == 0;
        const bool ends = (chunk + i) % kDepth == kDepth - 1 || chunk + i == kCount - 1;
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
          const __m256i product = multiply<kBits>(codes[half][i], quants);
          narrow[half][row] = begins ? product : _mm256_add_epi16(narrow[half][row], product);
          if (ends)
            sums[half][row] = _mm256_add_epi32(sums[half][row],
                                               _mm256_madd_epi16(narrow[half][row], scale[half]));
        }
      }
    }
  }
}

// Eight bytes, each as two equal 16-bit numbers.
template <bool kSigned>
REDRAFT_INLINE __m256i pairs_of_bytes(const std::uint8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  const __m128i twice = _mm_unpacklo_epi8(bytes, bytes);
  return kSigned ? _mm256_cvtepi8_epi16(twice) : _mm256_cvtepu8_epi16(twice);
}

// scaled[half][row] = dot products of 64 weights of each output, times the scales of their blocks.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void scaled_dots(const std::uint8_t* super, const ActivationSuperblock* x, int pair,
                                __m256i (&scaled)[2][kRows]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kBits = code_bits(kFormat);
  constexpr bool kSix = kFormat == WeightFormat::kQ6_K;
  constexpr int kRuns = kSix ? 4 : 2;  // each with a scale of its own
  constexpr int kGroups = 16 / kRuns;
  for (int row = 0; row < kRows; ++row) scaled[0][row] = scaled[1][row] = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int run = 0; run < kRuns; ++run) {
    const int block = 2 * pair + run * kGroups / 8;
    const int first = run * kGroups % 8;
    const std::uint8_t* scales = super + kLayout.scales + (kRuns * pair + run) * kTileOutputs;
    const __m256i scale[2] = {pairs_of_bytes<kSix>(scales), pairs_of_bytes<kSix>(scales + 8)};
    add_dots<kBits, kGroups, kRows>(super + block * code_bytes(kBits), first, x,
                                    block * kBlock + first * 4, scale, scaled);
    if constexpr (kSix) {  // both halves of a pair subtract 16 times the sum, which fits
      for (int row = 0; row < kRows; ++row) {
        const __m256i offset =
            _mm256_set1_epi16(static_cast<std::int16_t>(x[row].offsets[kRuns * pair + run] / 2));
        for (int half = 0; half < 2; ++half)
          scaled[half][row] =
              _mm256_add_epi32(scaled[half][row], _mm256_madd_epi16(offset, scale[half]));
      }
    }
  }
}

// Subtracts a superblock's minima times the sums of its activations: sums[row] -= ...
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void subtract_minima(const std::uint8_t* super, const ActivationSuperblock* x,
                                    int output, __m256 (&sums)[kRows]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  const __m256 m = load_halves(super + kLayout.m + output * 2);
  __m256i mins[4];
  for (int i = 0; i < 4; ++i) {
    mins[i] = _mm256_cvtepu8_epi16(_mm_loadu_si128(
        reinterpret_cast<const __m128i*>(super + kLayout.mins + 32 * i + output * 2)));
  }
  for (int row = 0; row < kRows; ++row) {
    __m256i dot = _mm256_setzero_si256();
    for (int i = 0; i < 4; ++i) {
      int two;
      __builtin_memcpy(&two, x[row].coarse_sums + 2 * i, 4);
      dot = _mm256_add_epi32(dot, _mm256_madd_epi16(mins[i], _mm256_set1_epi32(two)));
    }
    const __m256 scale = _mm256_mul_ps(m, _mm256_set1_ps(x[row].coarse_scale));
    sums[row] = _mm256_fnmadd_ps(scale, _mm256_cvtepi32_ps(dot), sums[row]);
  }
}

template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_k_superblock(const std::uint8_t* super, const ActivationSuperblock* x,
                                     __m256 (&sums)[2][kRows]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  __m256 parts[2][kRows];
  for (int row = 0; row < kRows; ++row) parts[0][row] = parts[1][row] = _mm256_setzero_ps();
#pragma GCC unroll 1
  for (int pair = 0; pair < 4; ++pair) {
    __m256i scaled[2][kRows];
    scaled_dots<kFormat, kRows>(super, x, pair, scaled);
    for (int row = 0; row < kRows; ++row) {
      const __m256 scale = _mm256_set1_ps(x[row].scales[2 * pair]);
      for (int half = 0; half < 2; ++half)
        parts[half][row] =
            _mm256_fmadd_ps(_mm256_cvtepi32_ps(scaled[half][row]), scale, parts[half][row]);
    }
  }
  for (int half = 0; half < 2; ++half) {
    const __m256 d = load_halves(super + kLayout.d + half * 16);
    for (int row = 0; row < kRows; ++row)
      sums[half][row] = _mm256_fmadd_ps(d, parts[half][row], sums[half][row]);
    if constexpr (has_minimum(kFormat))
      subtract_minima<kFormat, kRows>(super, x, half * 8, sums[half]);
  }
}

// The offset of a format's codes times the sum of a block's activations, to be subtracted.
template <WeightFormat kFormat>
REDRAFT_INLINE int offset_of(const ActivationSuperblock& x, int block) {
  const int offset = x.offsets[2 * block] + x.offsets[2 * block + 1];
  return kFormat == WeightFormat::kQ4_0   ? offset / 4
         : kFormat == WeightFormat::kQ5_0 ? offset / 2
                                          : 0;
}

// A superblock of a format with float block scales, of which `blocks` blocks remain.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_superblock(const std::uint8_t* super, const SuperblockLayout& layout,
                                   int blocks, const ActivationSuperblock* x,
                                   __m256 (&sums)[2][kRows]) {
  constexpr int kBits = code_bits(kFormat);
  const __m256i one[2] = {_mm256_set1_epi16(1), _mm256_set1_epi16(1)};
#pragma GCC unroll 1
  for (int block = 0; block < blocks; ++block) {
    __m256i dots[2][kRows];
    for (int row = 0; row < kRows; ++row) dots[0][row] = dots[1][row] = _mm256_setzero_si256();
    add_dots<kBits, 8, kRows>(super + block * code_bytes(kBits), 0, x, block * kBlock, one, dots);
    for (int half = 0; half < 2; ++half) {
      const __m256 d = load_halves(super + layout.d + block * 32 + half * 16);
      __m256 m = _mm256_setzero_ps();
      if constexpr (has_minimum(kFormat))
        m = load_halves(super + layout.m + block * 32 + half * 16);
      for (int row = 0; row < kRows; ++row) {
        __m256i dot = dots[half][row];
        if constexpr (kFormat == WeightFormat::kQ4_0 || kFormat == WeightFormat::kQ5_0)
          dot = _mm256_add_epi32(dot, _mm256_set1_epi32(offset_of<kFormat>(x[row], block)));
        const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(dot), d);
        sums[half][row] =
            _mm256_fmadd_ps(scaled, _mm256_set1_ps(x[row].scales[block]), sums[half][row]);
        if constexpr (has_minimum(kFormat))
          sums[half][row] =
              _mm256_fmadd_ps(m, _mm256_set1_ps(x[row].scaled_sums[block]), sums[half][row]);
      }
    }
  }
}

template <WeightFormat kFormat, int kRows>
struct QuantizedRows {
  static void run(const std::uint8_t* tile, const ActivationSuperblock* x, int blocks, float* out) {
    __m256 sums[2][kRows];
    for (int row = 0; row < kRows; ++row) sums[0][row] = sums[1][row] = _mm256_setzero_ps();
    for (; blocks > 0; blocks -= kSuperblockBlocks, x += kRows) {
      const int here = blocks < kSuperblockBlocks ? blocks : kSuperblockBlocks;
      const SuperblockLayout layout = superblock_layout(kFormat, here);
      if constexpr (is_k_format(kFormat)) {
        add_k_superblock<kFormat, kRows>(tile, x, sums);
      } else {
        add_superblock<kFormat, kRows>(tile, layout, here, x, sums);
      }
      tile += layout.bytes;
    }
    for (int row = 0; row < kRows; ++row) {
      _mm256_storeu_ps(out + row * kTileOutputs, sums[0][row]);
      _mm256_storeu_ps(out + row * kTileOutputs + 8, sums[1][row]);
    }
  }
};

REDRAFT_INLINE int sum_lanes(__m256i a) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

// 32 activations, zeros from `count` on.
struct Values {
  __m256 part[4];
  float largest;  // magnitude
  bool finite;
};

REDRAFT_INLINE Values load_values(const float* x, int count) {
  Values values;
  alignas(32) float padded[kBlock] = {};
  if (count < kBlock) {
    for (int i = 0; i < count; ++i) padded[i] = x[i];
    x = padded;
  }
  const __m256 magnitude_bits = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  __m256 largest = _mm256_setzero_ps();
  int finite = 0xff;
  for (int i = 0; i < 4; ++i) {
    values.part[i] = _mm256_loadu_ps(x + 8 * i);
    const __m256 magnitude = _mm256_and_ps(values.part[i], magnitude_bits);
    finite &=
        _mm256_movemask_ps(_mm256_cmp_ps(magnitude, _mm256_set1_ps(__builtin_inff()), _CMP_LT_OQ));
    largest = _mm256_max_ps(largest, magnitude);
  }
  __m128 most = _mm_max_ps(_mm256_castps256_ps128(largest), _mm256_extractf128_ps(largest, 1));
  most = _mm_max_ps(most, _mm_movehl_ps(most, most));
  values.largest = _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
  values.finite = finite == 0xff;
  return values;
}

// Quantises block `block` by the range of all activations that share its scale.
REDRAFT_INLINE void quantize_block(const Values& values, float largest, bool finite, int block,
                                   ActivationSuperblock& out) {
  const bool live = finite && largest >= kMinMagnitude;
  const __m256 inverse = _mm256_set1_ps(live ? 127.0f / largest : 0.0f);
  __m256i quants[4];
  for (int i = 0; i < 4; ++i) {
    quants[i] =
        live ? _mm256_cvtps_epi32(_mm256_mul_ps(values.part[i], inverse)) : _mm256_setzero_si256();
  }
  const int sums[2] = {sum_lanes(_mm256_add_epi32(quants[0], quants[1])),
                       sum_lanes(_mm256_add_epi32(quants[2], quants[3]))};
  // Packing works on 128-bit parts, so four values of each part interleave; the permutation puts
  // them in order.
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(quants[0], quants[1]),
                                            _mm256_packs_epi32(quants[2], quants[3]));
  const __m256i ordered =
      _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.quants + block * kBlock), ordered);
  out.scales[block] = finite ? largest / 127.0f : __builtin_nanf("");
  out.scaled_sums[block] = out.scales[block] * static_cast<float>(sums[0] + sums[1]);
  out.offsets[2 * block] = -32 * sums[0];
  out.offsets[2 * block + 1] = -32 * sums[1];
}

struct QuantizeOps {
  static Values load(const float* x, int count) { return load_values(x, count); }
  static void quantize(const Values& values, float largest, bool finite, int block,
                       ActivationSuperblock& out) {
    quantize_block(values, largest, finite, block, out);
  }
  static void coarsen_sums(ActivationSuperblock& out) { coarsen_sums_avx(out); }
};

}  // namespace

TileKernel avx2_tile_kernel(WeightFormat format) {
  return kernel_of_format<AnyRows<QuantizedRows>::Kernel>(format);
}

void avx2_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                   int stride) {
  quantize_row<QuantizeOps>(x, k, begin, end, out, stride);
}

}  // namespace redraft::kernels
