// Tile kernels for AVX-512 with VNNI: 16 outputs in the lanes, up to eight rows at once. A group of
// codes is unpacked into a register and used for all rows, each with its activations broadcast from
// memory, before the next group is unpacked. Eight independent sums hide the latency of dpbusd, and
// few other registers are needed.
//
// With many rows, multiplications (dpbusd, mulld, mul, fma) are the bottleneck: they share the same
// two ports, while additions, shifts, logic and conversions have two others. So the scales of a K
// format's blocks are applied to the integer sums, 64 weights (two blocks, which share an
// activation scale) are added up before they become floats, and the minima of a whole superblock
// take four dpwssd. The integers are exact, so their order is free; the float part of a (row,
// output) runs front to back and is the same for every number of rows.
//
// This file is compiled for AVX-512: it must not instantiate inline functions that other files may
// share.
#include <immintrin.h>

#include "decoding/kernels/coarse_sums_avx.h"
#include "decoding/kernels/opened_weights_avx512.h"
#include "decoding/kernels/prefetch_weights.h"
#include "decoding/kernels/quantize_template.h"
#include "decoding/kernels/tile_kernel_template.h"

namespace redraft::kernels {
namespace {

// sum += codes times four activations, which are broadcast as part of the instruction. g++ 12 has
// no pattern for that and would spend an instruction and a register on each broadcast.
REDRAFT_INLINE __m512i dot(__m512i sum, __m512i codes, const std::int8_t* quants) {
  using Four = const std::int8_t[4];
  asm("vpdpbusd %2%{1to16%}, %1, %0"
      : "+v"(sum)
      : "v"(codes), "m"(*reinterpret_cast<Four*>(quants)));
  return sum;
}

// Adds the products of kCount groups of a block, starting at `first`, to each row's sums.
template <WeightFormat kFormat, int kCount, int kRows>
REDRAFT_INLINE void add_dots(const std::uint8_t* codes, int first, const ActivationSuperblock* x,
                             int block, __m512i (&sums)[kRows]) {
#pragma GCC unroll 8
  for (int group = first; group < first + kCount; ++group) {
    const __m512i opened = open_group<kFormat>(codes, group);
    for (int row = 0; row < kRows; ++row)
      sums[row] = dot(sums[row], opened, x[row].quants + block * kBlock + group * 4);
  }
}

// Forces `x` to be computed here: g++ would defer it to where it is needed, keep its operands until
// then, and run out of registers.
REDRAFT_INLINE void settle(__m512i& x) { asm("" : "+v"(x)); }

// What the dot product of a block starts from: the offset of its codes.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512i block_start(const ActivationSuperblock& x, int block) {
  if constexpr (has_minimum(kFormat)) return _mm512_setzero_si512();
  const __m512i offset = _mm512_add_epi32(_mm512_set1_epi32(x.offsets[2 * block]),
                                          _mm512_set1_epi32(x.offsets[2 * block + 1]));
  return code_offset(kFormat) == 128 ? _mm512_slli_epi32(offset, 2) : offset;
}

// scaled[row] = dot products of 64 weights, times the scales of their blocks.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void scaled_dots(const std::uint8_t* super, const ActivationSuperblock* x, int pair,
                                __m512i (&scaled)[kRows]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  constexpr int kRuns = runs_of_pair(kFormat);  // each with a scale of its own
  constexpr int kGroups = 16 / kRuns;
#pragma GCC unroll 4
  for (int run = 0; run < kRuns; ++run) {
    const int block = 2 * pair + run * kGroups / 8;
    __m512i dots[kRows];
    for (int row = 0; row < kRows; ++row) {
      dots[row] = kRuns == 4 && !has_minimum(kFormat)
                      ? _mm512_set1_epi32(x[row].offsets[kRuns * pair + run])
                      : block_start<kFormat>(x[row], block);
    }
    add_dots<kFormat, kGroups, kRows>(super + block * kCodeBytes, run * kGroups % 8, x, block,
                                      dots);
    const __m512i scale =
        load_run_scales<kFormat>(super + kLayout.scales + (kRuns * pair + run) * kTileOutputs);
    for (int row = 0; row < kRows; ++row) {
      const __m512i product = _mm512_mullo_epi32(dots[row], scale);
      scaled[row] = run == 0 ? product : _mm512_add_epi32(scaled[row], product);
      settle(scaled[row]);
    }
  }
}

// Adds a superblock to the sums in `out`. They are in memory because the 64 weights at a time take
// all registers.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_k_superblock(const std::uint8_t* super, const ActivationSuperblock* x,
                                     bool one_row, float* out) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  __m512 sums[kRows];
  for (int row = 0; row < kRows; ++row) sums[row] = _mm512_setzero_ps();
#pragma GCC unroll 1
  for (int pair = 0; pair < 4; ++pair) {
    prefetch_weights<kRows>(super + pair * (kLayout.bytes / 4), kLayout.bytes / 4, one_row);
    __m512i scaled[kRows];
    scaled_dots<kFormat, kRows>(super, x, pair, scaled);
    for (int row = 0; row < kRows; ++row) {
      sums[row] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(scaled[row]),
                                  _mm512_set1_ps(x[row].scales[2 * pair]), sums[row]);
    }
  }
  const __m512 d = load_scales<kFormat>(super + kLayout.d);
  for (int row = 0; row < kRows; ++row)
    sums[row] = _mm512_fmadd_ps(d, sums[row], _mm512_loadu_ps(out + row * kTileOutputs));
  if constexpr (has_minimum(kFormat)) {
    const auto minima = load_minima<kFormat>(super);
    for (int row = 0; row < kRows; ++row) sums[row] = subtract_minima(minima, x[row], sums[row]);
  }
  for (int row = 0; row < kRows; ++row) _mm512_storeu_ps(out + row * kTileOutputs, sums[row]);
}

// A superblock of a format with float block scales, of which `blocks` blocks remain.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_superblock(const std::uint8_t* super, const SuperblockLayout& layout,
                                   int blocks, const ActivationSuperblock* x, bool one_row,
                                   float* out) {
  constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  constexpr int kBlockBytes = block_bytes(kFormat);
  __m512 sums[kRows];
  for (int row = 0; row < kRows; ++row) sums[row] = _mm512_loadu_ps(out + row * kTileOutputs);
#pragma GCC unroll 1
  for (int block = 0; block < blocks; ++block) {
    prefetch_weights<kRows>(super + block * kBlockBytes, kBlockBytes, one_row);
    __m512i dots[kRows];
    for (int row = 0; row < kRows; ++row) dots[row] = block_start<kFormat>(x[row], block);
    add_dots<kFormat, 8, kRows>(super + block * kCodeBytes, 0, x, block, dots);
    const __m512 d = load_scales<kFormat>(super + layout.d + block * d_bytes(kFormat));
    __m512 m = _mm512_setzero_ps();
    if constexpr (has_minimum(kFormat)) m = load_halves(super + layout.m + block * 32);
    for (int row = 0; row < kRows; ++row) {
      const __m512 scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(dots[row]), d);
      sums[row] = _mm512_fmadd_ps(scaled, _mm512_set1_ps(x[row].scales[block]), sums[row]);
      if constexpr (has_minimum(kFormat))
        sums[row] = _mm512_fmadd_ps(m, _mm512_set1_ps(x[row].scaled_sums[block]), sums[row]);
    }
  }
  for (int row = 0; row < kRows; ++row) _mm512_storeu_ps(out + row * kTileOutputs, sums[row]);
}

// Number of activation blocks above which one row takes up so much of the L1 that weights evict it,
// unless they are prefetched as non-temporal data. Narrower rows are as fast without that, except
// on AMD's processors: Zen 5 takes 1.2 times as long.
constexpr int kWideBlocks = 128;

template <WeightFormat kFormat, int kRows>
struct QuantizedRows {
  static void run(const std::uint8_t* tile, const ActivationSuperblock* x, int blocks, float* out) {
    for (int row = 0; row < kRows; ++row)
      _mm512_storeu_ps(out + row * kTileOutputs, _mm512_setzero_ps());
    const bool one_row = blocks > kWideBlocks || __builtin_cpu_is("amd");
    for (; blocks > 0; blocks -= kSuperblockBlocks, x += kRows) {
      const int here = blocks < kSuperblockBlocks ? blocks : kSuperblockBlocks;
      const SuperblockLayout layout = superblock_layout(kFormat, here);
      if constexpr (is_k_format(kFormat)) {
        add_k_superblock<kFormat, kRows>(tile, x, one_row, out);
      } else {
        add_superblock<kFormat, kRows>(tile, layout, here, x, one_row, out);
      }
      tile += layout.bytes;
    }
  }
};

// 32 activations, zeros from `count` on.
struct Values {
  __m512 part[2];
  float largest;  // magnitude
  bool finite;
};

REDRAFT_INLINE Values load_values(const float* x, int count) {
  const auto mask = static_cast<std::uint32_t>(
      count >= kBlock ? ~std::uint32_t{0} : (std::uint32_t{1} << (count > 0 ? count : 0)) - 1);
  Values values;
  values.part[0] = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), x);
  values.part[1] = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), x + 16);
  const __m512 a = _mm512_abs_ps(values.part[0]);
  const __m512 b = _mm512_abs_ps(values.part[1]);
  // |x| < infinity is false for NaN too.
  const __m512 infinity = _mm512_set1_ps(__builtin_inff());
  values.finite = (_mm512_cmp_ps_mask(a, infinity, _CMP_LT_OQ) &
                   _mm512_cmp_ps_mask(b, infinity, _CMP_LT_OQ)) == 0xffff;
  values.largest = _mm512_reduce_max_ps(_mm512_max_ps(a, b));
  return values;
}

// Quantises block `block` by the range of all activations that share its scale.
REDRAFT_INLINE void quantize_block(const Values& values, float largest, bool finite, int block,
                                   ActivationSuperblock& out) {
  const bool live = finite && largest >= kMinMagnitude;
  const __m512 inverse = _mm512_set1_ps(live ? 127.0f / largest : 0.0f);
  const auto some = static_cast<__mmask16>(live ? 0xffff : 0);
  const float scale = finite ? largest / 127.0f : __builtin_nanf("");
  int all = 0;
  for (int half = 0; half < 2; ++half) {
    const __m512i quants =
        _mm512_maskz_cvtps_epi32(some, _mm512_mul_ps(values.part[half], inverse));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out.quants + block * kBlock + half * 16),
                     _mm512_cvtsepi32_epi8(quants));
    const int sum = _mm512_reduce_add_epi32(quants);
    out.offsets[2 * block + half] = -32 * sum;
    out.sums[2 * block + half] = static_cast<std::int16_t>(sum);
    all += sum;
  }
  out.scales[block] = scale;
  out.scaled_sums[block] = scale * static_cast<float>(all);
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

TileKernel avx512_tile_kernel(WeightFormat format) {
  return kernel_of_format<AnyRows<QuantizedRows>::Kernel>(format);
}

void avx512_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                     int stride) {
  quantize_row<QuantizeOps>(x, k, begin, end, out, stride);
}

}  // namespace redraft::kernels
