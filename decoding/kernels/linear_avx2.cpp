// Tile kernels for AVX2: the 16 outputs in two registers of 8 lanes, up to eight rows. maddubs
// multiplies unsigned codes with signed activations and adds pairs into 16 bits; as many of its
// results are added there as cannot overflow
// (|activation| <= 127), then madd widens to 32. Eight-bit codes are signed: their sign moves to
// the activation. The float part of a (row, output) runs block by block and is the same for every
// number of rows.
//
// This file is compiled for AVX2: it must not instantiate inline functions that other files may
// share.
#include <immintrin.h>

#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

REDRAFT_INLINE __m256i load_codes(const std::uint8_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
REDRAFT_INLINE __m256 load_halves(const std::uint8_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

// Moves bits left, or right if `left` is negative, and keeps those in `mask`.
template <int kLeft>
REDRAFT_INLINE __m256i move_bits(__m256i bits, __m256i mask) {
  if constexpr (kLeft >= 0) return _mm256_and_si256(_mm256_slli_epi16(bits, kLeft), mask);
  return _mm256_and_si256(_mm256_srli_epi16(bits, -kLeft), mask);
}

// Group kGroup of a block's codes for eight outputs; `p` points at their bytes in the block's
// first 64.
template <int kBits, int kGroup>
REDRAFT_INLINE __m256i open_group(const std::uint8_t* p) {
  if constexpr (kBits == 8) return load_codes(p + kGroup * 64);
  const __m256i nibbles = move_bits < kGroup % 2 == 0
                              ? 0
                              : -4 > (load_codes(p + kGroup / 2 * 64), _mm256_set1_epi8(15));
  if constexpr (kBits == 5) {
    return _mm256_or_si256(nibbles,
                           move_bits<4 - kGroup>(load_codes(p + 256), _mm256_set1_epi8(16)));
  }
  if constexpr (kBits == 6) {
    const __m256i high = load_codes(p + 256 + kGroup / 4 * 64);
    return _mm256_or_si256(nibbles, move_bits<4 - kGroup % 4 * 2>(high, _mm256_set1_epi8(48)));
  }
  return nibbles;
}

template <int kBits>
REDRAFT_INLINE void open_codes(const std::uint8_t* p, __m256i (&codes)[8]) {
  codes[0] = open_group<kBits, 0>(p);
  codes[1] = open_group<kBits, 1>(p);
  codes[2] = open_group<kBits, 2>(p);
  codes[3] = open_group<kBits, 3>(p);
  codes[4] = open_group<kBits, 4>(p);
  codes[5] = open_group<kBits, 5>(p);
  codes[6] = open_group<kBits, 6>(p);
  codes[7] = open_group<kBits, 7>(p);
}

// Dot products of kCount groups from `first` on; exact.
template <int kBits, int kCount>
REDRAFT_INLINE __m256i dot_groups(const __m256i* codes, const std::int8_t* quants) {
  // Two products of at most (2^bits - 1) * 127 make one 16-bit lane: 8, 4 and 2 of them stay below
  // 32768.
  constexpr int kDepth = kBits == 4 ? 8 : kBits == 5 ? 4 : kBits == 6 ? 2 : 1;
  __m256i sum = _mm256_setzero_si256();
  __m256i narrow = _mm256_setzero_si256();
  for (int i = 0; i < kCount; ++i) {
    int four;
    __builtin_memcpy(&four, quants + 4 * i, 4);
    const __m256i x = _mm256_set1_epi32(four);
    const __m256i product =
        kBits == 8 ? _mm256_maddubs_epi16(_mm256_abs_epi8(codes[i]), _mm256_sign_epi8(x, codes[i]))
                   : _mm256_maddubs_epi16(codes[i], x);
    narrow = i % kDepth == 0 ? product : _mm256_add_epi16(narrow, product);
    if (i % kDepth == kDepth - 1 || i == kCount - 1) {
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(narrow, _mm256_set1_epi16(1)));
    }
  }
  return sum;
}

// What a block's dot products for eight outputs are multiplied with, as in the AVX-512 kernel.
struct BlockScales {
  __m256 first;
  __m256 second;   // of the second half (Q6_K)
  __m256 minimum;  // is added times the sum of the activations
};

REDRAFT_INLINE __m256 widen_unsigned(const std::uint8_t* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
REDRAFT_INLINE __m256 widen_signed(const std::uint8_t* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}

// `output` is 0 or 8.
template <WeightFormat kFormat>
REDRAFT_INLINE BlockScales open_k_scales(const std::uint8_t* super, int sub, int output) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat);
  BlockScales scales{};
  const __m256 d = load_halves(super + kLayout.d + output * 2);
  const std::uint8_t* p = super + kLayout.scales + output;
  if constexpr (kFormat == WeightFormat::kQ6_K) {
    scales.first = _mm256_mul_ps(d, widen_signed(p + sub * 32));
    scales.second = _mm256_mul_ps(d, widen_signed(p + sub * 32 + 16));
  } else {
    scales.first = _mm256_mul_ps(d, widen_unsigned(p + sub * 16));
    const __m256 m =
        _mm256_xor_ps(load_halves(super + kLayout.m + output * 2), _mm256_set1_ps(-0.0f));
    scales.minimum = _mm256_mul_ps(m, widen_unsigned(super + kLayout.mins + sub * 16 + output));
  }
  return scales;
}

// The offset of the codes times the sum of a half's activations, from -32 times that sum.
template <WeightFormat kFormat>
REDRAFT_INLINE int offset_of(const ActivationBlock& x, int half) {
  if constexpr (kFormat == WeightFormat::kQ4_0) return x.offsets[half] / 4;
  if constexpr (kFormat == WeightFormat::kQ5_0) return x.offsets[half] / 2;
  if constexpr (kFormat == WeightFormat::kQ6_K) return x.offsets[half];
  return 0;
}

template <WeightFormat kFormat>
REDRAFT_INLINE __m256 add_block(__m256 sum, const __m256i (&codes)[8], const BlockScales& scales,
                                const ActivationBlock& x) {
  constexpr int kBits = code_bits(kFormat);
  const __m256 scale = _mm256_set1_ps(x.scale);
  if constexpr (kFormat == WeightFormat::kQ6_K) {
    const __m256i first =
        _mm256_add_epi32(dot_groups<kBits, 4>(codes, x.quants), _mm256_set1_epi32(x.offsets[0]));
    const __m256i second = _mm256_add_epi32(dot_groups<kBits, 4>(codes + 4, x.quants + 16),
                                            _mm256_set1_epi32(x.offsets[1]));
    const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(first), scales.first);
    return _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_cvtepi32_ps(second), scales.second, scaled),
                           scale, sum);
  }
  __m256i dot = dot_groups<kBits, 8>(codes, x.quants);
  if constexpr (kFormat == WeightFormat::kQ4_0 || kFormat == WeightFormat::kQ5_0) {
    dot = _mm256_add_epi32(dot,
                           _mm256_set1_epi32(offset_of<kFormat>(x, 0) + offset_of<kFormat>(x, 1)));
  }
  sum = _mm256_fmadd_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(dot), scales.first), scale, sum);
  if constexpr (has_minimum(kFormat))
    sum = _mm256_fmadd_ps(scales.minimum, _mm256_set1_ps(x.scaled_sum), sum);
  return sum;
}

// One block of eight outputs for all rows. Codes are opened once.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_block_of_rows(const std::uint8_t* packed, const BlockScales& scales,
                                      const ActivationBlock* x, __m256 (&sums)[kRows][2],
                                      int half) {
  __m256i codes[8];
  open_codes<code_bits(kFormat)>(packed + half * 32, codes);
  for (int row = 0; row < kRows; ++row) {
    sums[row][half] = add_block<kFormat>(sums[row][half], codes, scales, x[row]);
  }
}

template <int kRows>
REDRAFT_INLINE void store_sums(const __m256 (&sums)[kRows][2], float* out) {
  for (int row = 0; row < kRows; ++row) {
    _mm256_storeu_ps(out + row * kTileOutputs, sums[row][0]);
    _mm256_storeu_ps(out + row * kTileOutputs + 8, sums[row][1]);
  }
}

template <WeightFormat kFormat, int kRows>
void quantized_rows(const std::uint8_t* tile, const ActivationBlock* x, int blocks, float* out) {
  static constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  __m256 sums[kRows][2];
  for (auto& row : sums) row[0] = row[1] = _mm256_setzero_ps();
  if constexpr (is_k_format(kFormat)) {
    static constexpr SuperblockLayout kLayout = superblock_layout(kFormat);
    for (int block = 0; block < blocks; block += 8, tile += kLayout.bytes) {
      for (int sub = 0; sub < 8; ++sub, x += kRows) {
        for (int half = 0; half < 2; ++half) {
          const BlockScales scales = open_k_scales<kFormat>(tile, sub, half * 8);
          add_block_of_rows<kFormat, kRows>(tile + sub * kCodeBytes, scales, x, sums, half);
        }
      }
    }
  } else {
    const std::uint8_t* d = tile + static_cast<std::size_t>(blocks) * kCodeBytes;
    const std::uint8_t* m = d + static_cast<std::size_t>(blocks) * 32;
    for (int block = 0; block < blocks; ++block, tile += kCodeBytes, x += kRows) {
      for (int half = 0; half < 2; ++half) {
        BlockScales scales{};
        scales.first = load_halves(d + block * 32 + half * 16);
        if constexpr (has_minimum(kFormat))
          scales.minimum = load_halves(m + block * 32 + half * 16);
        add_block_of_rows<kFormat, kRows>(tile, scales, x, sums, half);
      }
    }
  }
  store_sums(sums, out);
}

template <WeightFormat kFormat>
void tile_kernel(const std::uint8_t* tile, const ActivationBlock* x, int rows, int blocks,
                 float* out) {
  switch (rows) {
    case 1:
      return quantized_rows<kFormat, 1>(tile, x, blocks, out);
    case 2:
      return quantized_rows<kFormat, 2>(tile, x, blocks, out);
    case 3:
      return quantized_rows<kFormat, 3>(tile, x, blocks, out);
    case 4:
      return quantized_rows<kFormat, 4>(tile, x, blocks, out);
    case 5:
      return quantized_rows<kFormat, 5>(tile, x, blocks, out);
    case 6:
      return quantized_rows<kFormat, 6>(tile, x, blocks, out);
    case 7:
      return quantized_rows<kFormat, 7>(tile, x, blocks, out);
    default:
      return quantized_rows<kFormat, 8>(tile, x, blocks, out);
  }
}

REDRAFT_INLINE int sum_lanes(__m256i a) {
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

// The 32 values, zeros from `count` on; whether all are finite; the largest magnitude.
struct Values {
  __m256 part[4];
  float largest;
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

}  // namespace

TileKernel avx2_tile_kernel(WeightFormat format) {
  switch (format) {
    case WeightFormat::kQ4_0:
      return tile_kernel<WeightFormat::kQ4_0>;
    case WeightFormat::kQ4_1:
      return tile_kernel<WeightFormat::kQ4_1>;
    case WeightFormat::kQ5_0:
      return tile_kernel<WeightFormat::kQ5_0>;
    case WeightFormat::kQ5_1:
      return tile_kernel<WeightFormat::kQ5_1>;
    case WeightFormat::kQ8_0:
      return tile_kernel<WeightFormat::kQ8_0>;
    case WeightFormat::kQ4_K:
      return tile_kernel<WeightFormat::kQ4_K>;
    case WeightFormat::kQ5_K:
      return tile_kernel<WeightFormat::kQ5_K>;
    case WeightFormat::kQ6_K:
      return tile_kernel<WeightFormat::kQ6_K>;
    default:
      return nullptr;
  }
}

void avx2_quantize(const float* x, int k, ActivationBlock* out, int stride) {
  for (int begin = 0; begin < k; begin += kBlock, out += stride) {
    const Values values = load_values(x + begin, k - begin < kBlock ? k - begin : kBlock);
    const bool live = values.finite && values.largest >= kLeastMagnitude;
    const __m256 inverse = _mm256_set1_ps(live ? 127.0f / values.largest : 0.0f);
    __m256i quants[4];
    for (int i = 0; i < 4; ++i) {
      quants[i] = live ? _mm256_cvtps_epi32(_mm256_mul_ps(values.part[i], inverse))
                       : _mm256_setzero_si256();
    }
    const int sums[2] = {sum_lanes(_mm256_add_epi32(quants[0], quants[1])),
                         sum_lanes(_mm256_add_epi32(quants[2], quants[3]))};
    // Packing works on 128-bit parts, so that four values of each part interleave; the permutation
    // puts them in order.
    const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(quants[0], quants[1]),
                                              _mm256_packs_epi32(quants[2], quants[3]));
    const __m256i ordered =
        _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out->quants), ordered);
    out->scale = values.finite ? values.largest / 127.0f : __builtin_nanf("");
    out->scaled_sum = out->scale * static_cast<float>(sums[0] + sums[1]);
    out->offsets[0] = -32 * sums[0];
    out->offsets[1] = -32 * sums[1];
  }
}

}  // namespace redraft::kernels
