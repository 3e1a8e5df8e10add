// Tile kernels for AVX-512 with VNNI: 16 outputs in the lanes, up to eight rows at once. A block of
// weights is unpacked into eight registers and serves all rows; a row takes eight dpbusd with its
// activations broadcast from memory, then one conversion and two or three float operations with the
// block's scales. The integer part is exact, so its order is free; the float part of a (row,
// output) runs block by block and is the same for every number of rows.
//
// This file is compiled for AVX-512: it must not instantiate inline functions that other files may
// share.
#include <immintrin.h>

#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))

constexpr int kPrefetchBytes = 8192;  // ahead of the weights being read

REDRAFT_INLINE void prefetch_line(const std::uint8_t* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
}

// kBytes' worth of lines, kPrefetchBytes ahead.
template <int kBytes>
REDRAFT_INLINE void prefetch(const std::uint8_t* p) {
  for (int i = 0; i < kBytes; i += 64) prefetch_line(p + kPrefetchBytes + i);
}

REDRAFT_INLINE __m512 load_halves(const std::uint8_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
REDRAFT_INLINE __m128i load_bytes(const std::uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// The offset of every format without minima is made 32 by scaling codes (and 1/scaling the scale,
// which is exact), so that a row's dot product can start from the -32 * sum that the activations
// carry. Q8_0's is 4 * 32.
constexpr float scale_factor(WeightFormat format) {
  return format == WeightFormat::kQ4_0 ? 0.25f : format == WeightFormat::kQ5_0 ? 0.5f : 1.0f;
}

// Eight groups of codes as unsigned bytes.
template <WeightFormat kFormat>
REDRAFT_INLINE void open_codes(const std::uint8_t* p, __m512i (&codes)[8]) {
  constexpr int kBits = code_bits(kFormat);
  if constexpr (kBits == 8) {
    for (int i = 0; i < 8; ++i) {
      codes[i] = _mm512_xor_si512(_mm512_loadu_si512(p + 64 * i),
                                  _mm512_set1_epi8(static_cast<char>(0x80)));
    }
    return;
  }
  constexpr int kShift = kFormat == WeightFormat::kQ4_0   ? 2
                         : kFormat == WeightFormat::kQ5_0 ? 1
                                                          : 0;
  const __m512i mask = _mm512_set1_epi8(15 << kShift);
  for (int i = 0; i < 4; ++i) {
    const __m512i pair = _mm512_loadu_si512(p + 64 * i);
    codes[2 * i] = _mm512_and_si512(kShift ? _mm512_slli_epi16(pair, kShift) : pair, mask);
    codes[2 * i + 1] = _mm512_and_si512(_mm512_srli_epi16(pair, 4 - kShift), mask);
  }
  constexpr int kOrAnd = 0xf8;  // ternary logic a | (b & c)
  if constexpr (kBits == 5) {
    const __m512i high = _mm512_loadu_si512(p + 256);
    const __m512i bit = _mm512_set1_epi8(16 << kShift);
    for (int i = 0; i < 8; ++i) {
      const int left = 4 + kShift - i;
      const __m512i moved = left >= 0 ? _mm512_slli_epi16(high, left >= 0 ? left : 0)
                                      : _mm512_srli_epi16(high, left >= 0 ? 0 : -left);
      codes[i] = _mm512_ternarylogic_epi32(codes[i], moved, bit, kOrAnd);
    }
  }
  if constexpr (kBits == 6) {
    const __m512i bits = _mm512_set1_epi8(48);
    for (int i = 0; i < 8; ++i) {
      const __m512i high = _mm512_loadu_si512(p + 256 + i / 4 * 64);
      const int left = 4 - i % 4 * 2;
      const __m512i moved = left >= 0 ? _mm512_slli_epi16(high, left >= 0 ? left : 0)
                                      : _mm512_srli_epi16(high, left >= 0 ? 0 : -left);
      codes[i] = _mm512_ternarylogic_epi32(codes[i], moved, bits, kOrAnd);
    }
  }
}

// What a block's integer dot products are multiplied with. `second` is of the second half (Q6_K),
// `minimum` of the sum.
struct BlockScales {
  __m512 first;
  __m512 second;
  __m512 minimum;
};

// A superblock's d and m, widened once for its eight blocks.
struct SuperblockScales {
  __m512 d;
  __m512 m;
};

template <WeightFormat kFormat>
REDRAFT_INLINE SuperblockScales open_superblock(const std::uint8_t* super) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat);
  SuperblockScales scales{load_halves(super + kLayout.d), _mm512_setzero_ps()};
  if constexpr (has_minimum(kFormat)) scales.m = load_halves(super + kLayout.m);
  return scales;
}

template <WeightFormat kFormat>
REDRAFT_INLINE BlockScales open_scales(const std::uint8_t* super, const SuperblockScales& of,
                                       int sub) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat);
  BlockScales scales{};
  const std::uint8_t* p = super + kLayout.scales;
  if constexpr (kFormat == WeightFormat::kQ6_K) {
    const __m512i first = _mm512_cvtepi8_epi32(load_bytes(p + sub * 32));
    const __m512i second = _mm512_cvtepi8_epi32(load_bytes(p + sub * 32 + 16));
    scales.first = _mm512_mul_ps(of.d, _mm512_cvtepi32_ps(first));
    scales.second = _mm512_mul_ps(of.d, _mm512_cvtepi32_ps(second));
  } else {
    scales.first =
        _mm512_mul_ps(of.d, _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load_bytes(p + sub * 16))));
    const __m512i minimum = _mm512_cvtepu8_epi32(load_bytes(super + kLayout.mins + sub * 16));
    scales.minimum = _mm512_mul_ps(of.m, _mm512_cvtepi32_ps(minimum));  // to be subtracted
  }
  return scales;
}

REDRAFT_INLINE __m512i dot(__m512i sum, __m512i codes, const std::int8_t* quants) {
  int four;
  __builtin_memcpy(&four, quants, 4);
  return _mm512_dpbusd_epi32(sum, codes, _mm512_set1_epi32(four));
}

// One row's part of a block, added to its sum. Two integer chains: a single row would wait for the
// latency of one.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512 add_block(__m512 sum, const __m512i (&codes)[8], const BlockScales& scales,
                                const ActivationBlock& x) {
  __m512i first = _mm512_setzero_si512();
  __m512i second = _mm512_setzero_si512();
  if constexpr (!has_minimum(kFormat)) {
    first = _mm512_set1_epi32(x.offsets[0]);
    second = _mm512_set1_epi32(x.offsets[1]);
    if constexpr (kFormat == WeightFormat::kQ8_0) {
      first = _mm512_slli_epi32(first, 2);
      second = _mm512_slli_epi32(second, 2);
    }
  }
  for (int i = 0; i < 4; ++i) {
    first = dot(first, codes[i], x.quants + 4 * i);
    second = dot(second, codes[i + 4], x.quants + 16 + 4 * i);
  }
  const __m512 scale = _mm512_set1_ps(x.scale);
  if constexpr (kFormat == WeightFormat::kQ6_K) {
    const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(first), scales.first);
    return _mm512_fmadd_ps(_mm512_fmadd_ps(_mm512_cvtepi32_ps(second), scales.second, scaled),
                           scale, sum);
  }
  const __m512 scaled =
      _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(first, second)), scales.first);
  sum = _mm512_fmadd_ps(scaled, scale, sum);
  if constexpr (is_k_format(kFormat))
    return _mm512_fnmadd_ps(scales.minimum, _mm512_set1_ps(x.scaled_sum), sum);
  if constexpr (has_minimum(kFormat))
    return _mm512_fmadd_ps(scales.minimum, _mm512_set1_ps(x.scaled_sum), sum);
  return sum;
}

template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_block_of_rows(const std::uint8_t* packed, const BlockScales& scales,
                                      const ActivationBlock* x, __m512 (&sums)[kRows]) {
  __m512i codes[8];
  open_codes<kFormat>(packed, codes);
  for (int row = 0; row < kRows; ++row)
    sums[row] = add_block<kFormat>(sums[row], codes, scales, x[row]);
}

template <WeightFormat kFormat, int kRows>
void quantized_rows(const std::uint8_t* tile, const ActivationBlock* x, int blocks, float* out) {
  constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  __m512 sums[kRows];
  for (int row = 0; row < kRows; ++row) sums[row] = _mm512_setzero_ps();
  if constexpr (is_k_format(kFormat)) {
    static constexpr SuperblockLayout kLayout = superblock_layout(kFormat);
    for (int block = 0; block < blocks; block += 8, tile += kLayout.bytes) {
      const SuperblockScales super = open_superblock<kFormat>(tile);
      for (int sub = 0; sub < 8; ++sub, x += kRows) {
        prefetch<kLayout.bytes / 8>(tile + sub * (kLayout.bytes / 8));
        const BlockScales scales = open_scales<kFormat>(tile, super, sub);
        add_block_of_rows<kFormat, kRows>(tile + sub * kCodeBytes, scales, x, sums);
      }
    }
  } else {
    const std::uint8_t* d = tile + static_cast<std::size_t>(blocks) * kCodeBytes;
    const std::uint8_t* m = d + static_cast<std::size_t>(blocks) * 32;
    // The tile is prefetched evenly, scales and all, so that no part of the next one is left out;
    // scales lie at the end but are needed from the start: those of the next tile come in good
    // time.
    constexpr int kBlockBytes = kCodeBytes + (has_minimum(kFormat) ? 64 : 32);
    const std::size_t tile_stride = static_cast<std::size_t>(blocks) * kBlockBytes;
    const std::uint8_t* ahead = tile;
    for (int block = 0; block < blocks;
         ++block, tile += kCodeBytes, ahead += kBlockBytes, x += kRows) {
      prefetch<kBlockBytes>(ahead);
      prefetch_line(d + block * 32 + tile_stride);
      if constexpr (has_minimum(kFormat)) prefetch_line(m + block * 32 + tile_stride);
      BlockScales scales{};
      scales.first = load_halves(d + block * 32);
      if constexpr (scale_factor(kFormat) != 1.0f) {
        scales.first = _mm512_mul_ps(scales.first, _mm512_set1_ps(scale_factor(kFormat)));
      }
      if constexpr (has_minimum(kFormat)) scales.minimum = load_halves(m + block * 32);
      add_block_of_rows<kFormat, kRows>(tile, scales, x, sums);
    }
  }
  for (int row = 0; row < kRows; ++row) _mm512_storeu_ps(out + row * kTileOutputs, sums[row]);
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

}  // namespace

TileKernel avx512_tile_kernel(WeightFormat format) {
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

void avx512_quantize(const float* x, int k, ActivationBlock* out, int stride) {
  const __m512 infinity = _mm512_set1_ps(__builtin_inff());
  for (int begin = 0; begin < k; begin += kBlock, out += stride) {
    const int count = k - begin < kBlock ? k - begin : kBlock;
    const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
    const __m512 a = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), x + begin);
    const __m512 b = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), x + begin + 16);
    // |x| < infinity is false for a NaN too.
    const bool finite = (_mm512_cmp_ps_mask(_mm512_abs_ps(a), infinity, _CMP_LT_OQ) &
                         _mm512_cmp_ps_mask(_mm512_abs_ps(b), infinity, _CMP_LT_OQ)) == 0xffff;
    const float largest = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
    const bool live = finite && largest >= kLeastMagnitude;
    const __m512 inverse = _mm512_set1_ps(live ? 127.0f / largest : 0.0f);
    const auto some = static_cast<__mmask16>(live ? 0xffff : 0);
    const __m512i qa = _mm512_maskz_cvtps_epi32(some, _mm512_mul_ps(a, inverse));
    const __m512i qb = _mm512_maskz_cvtps_epi32(some, _mm512_mul_ps(b, inverse));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out->quants), _mm512_cvtsepi32_epi8(qa));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out->quants + 16), _mm512_cvtsepi32_epi8(qb));
    const int sums[2] = {_mm512_reduce_add_epi32(qa), _mm512_reduce_add_epi32(qb)};
    out->scale = finite ? largest / 127.0f : __builtin_nanf("");
    out->scaled_sum = out->scale * static_cast<float>(sums[0] + sums[1]);
    out->offsets[0] = -32 * sums[0];
    out->offsets[1] = -32 * sums[1];
  }
}

}  // namespace redraft::kernels
