#pragma once

#include <arm_neon.h>

#include <cstddef>

#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/prefetch_weights.h"
#include "decoding/kernels/tile_kernel_template.h"

// Tile kernels for NEON's 32 registers of 128 bits. A register of sums, a "cell", has four sums:
// four outputs of one row, or two outputs of two rows; the rows of a cell are a "unit". All
// arithmetic after the products is lane by lane, so sums stay in their cells from front to back and
// become rows when they are stored. The integers are exact, so their order is free. The float part
// of a (row, output) runs front to back, with the operations of the AVX2 kernels, and is the same
// for every number of rows: the bits are those of AVX2.
//
// All rows of a call use a register of codes as soon as it is opened, and at most eight cells are
// computed at once: their products, the scaled sums of two blocks and the float sums of a
// superblock are 24 registers, which leaves eight for activations and codes.
//
// Dots has the instruction and the arrangement of the lanes that it needs:
//   kRows: rows of a unit; kCells: cells that four outputs of a unit take;
//   Input: the rows of a call, from one superblock on; advance() moves to the next one;
//   spread<kUnits>(x, unit, get): get(row) in the lanes of the unit's rows;
//   offsets<kUnits>(x, unit, block): likewise -32 times the sum of a block's activations;
//   of_cell(four, cell): the lanes that a cell needs from a vector for four outputs;
//   add<kFormat, kUnits, kFours>(codes, half, x, at, dots): adds the products of half a block's
//     codes and the activations from `at` on; codes of eight bits and those of tables are signed,
//     others unsigned;
//   open_minima(mins, opened): eight outputs' minima of a superblock, for
//   add_minima<kUnits>(opened, x, unit, dots): minima times the coarse sums of the activations;
//   store<kUnits>(sums, x, out): as rows of 16 outputs.
//
// In an unnamed namespace, because every file is compiled for other instructions and needs its own
// copy.
namespace redraft::kernels {
namespace {

#define REDRAFT_INLINE inline __attribute__((always_inline))
// For loops over registers, which the compiler has to address by name.
#define REDRAFT_UNROLL _Pragma("GCC unroll 16")

// Minima are subtracted for eight outputs at once: two vectors of four.
constexpr int kEight = 2;

REDRAFT_INLINE uint8x16_t load_bytes(const std::uint8_t* p) { return vld1q_u8(p); }
REDRAFT_INLINE float32x4_t load_halves(const std::uint8_t* p) {
  return vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8(p)));
}

REDRAFT_INLINE int32x4_t dup(std::int32_t value) { return vdupq_n_s32(value); }
REDRAFT_INLINE float32x4_t dup(float value) { return vdupq_n_f32(value); }

REDRAFT_INLINE uint8x8_t load_four(const std::uint8_t* p) {
  std::uint32_t four;
  __builtin_memcpy(&four, p, sizeof(four));
  return vcreate_u8(four);
}
REDRAFT_INLINE int32x4_t widen(uint8x8_t four) {
  return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(four))));
}

// A run's scales for four outputs.
template <WeightFormat kFormat>
REDRAFT_INLINE int32x4_t load_run_scales(const std::uint8_t* p) {
  const uint8x8_t bytes = load_four(p);
  if constexpr (has_signed_scales(kFormat))
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(bytes))));
  return widen(has_nibble_scales(kFormat) ? vand_u8(bytes, vdup_n_u8(15)) : bytes);
}

// The float scales of a block for four outputs, the first of which is `first`.
template <WeightFormat kFormat>
REDRAFT_INLINE float32x4_t load_block_scales(const std::uint8_t* d, std::ptrdiff_t block,
                                             int first) {
  d += block * d_bytes(kFormat);
  if constexpr (kFormat != WeightFormat::kMXFP4) return load_halves(d + 2 * first);
  // 2^(exponent - 127); that of the exponent 0 is a subnormal number.
  const int32x4_t bits = vshlq_n_s32(widen(load_four(d + first)), 23);
  const int32x4_t doubled = vmaxq_s32(bits, vdupq_n_s32(0x00400000));
  return vmulq_f32(vreinterpretq_f32_s32(doubled), vdupq_n_f32(0.5f));
}

// Replaces four-bit codes by the values of the format's table.
template <WeightFormat kFormat>
REDRAFT_INLINE uint8x16_t look_up(uint8x16_t codes) {
  return vqtbl1q_u8(vreinterpretq_u8_s8(vld1q_s8(code_table(kFormat).values)), codes);
}

// The fourth group of six-bit codes, from the top two bits of the other three.
REDRAFT_INLINE uint8x16_t open_top_bits(uint8x16_t first, uint8x16_t second, uint8x16_t third) {
  return vshrq_n_u8(vsriq_n_u8(vsriq_n_u8(third, second, 2), first, 4), 2);
}

// Puts bit `bit` of `high` above the low `place` bits of each code: two or four.
template <int kPlace>
REDRAFT_INLINE uint8x16_t add_top_bit(uint8x16_t codes, uint8x16_t high, int bit) {
  const uint8x16_t moved = bit < kPlace ? high << (kPlace - bit) : high >> (bit - kPlace);
  return vbslq_u8(vdupq_n_u8(1 << kPlace), moved, codes);
}

// The coarse sums of a superblock as 256 * high + low, for products of bytes.
struct CoarseBytes {
  REDRAFT_INLINE explicit CoarseBytes(const ActivationSuperblock& x) {
    const int16x8_t sums = vld1q_s16(x.coarse_sums);
    high = vshrn_n_s16(sums, 8);
    low = vmovn_u16(vreinterpretq_u16_s16(sums));
  }
  int8x8_t high;
  uint8x8_t low;
};

// opened[i][j]: for the i-th four of eight outputs, the minima of blocks 4j to 4j + 3, in four
// bytes of each output.
REDRAFT_INLINE void open_minima_of_blocks(const std::uint8_t* mins, uint8x16_t (*opened)[2]) {
  REDRAFT_UNROLL
  for (int i = 0; i < 2; ++i) {
    const uint16x8_t a = vreinterpretq_u16_u8(load_bytes(mins + 64 * i));
    const uint16x8_t b = vreinterpretq_u16_u8(load_bytes(mins + 64 * i + 32));
    opened[0][i] = vreinterpretq_u8_u16(vzip1q_u16(a, b));
    opened[1][i] = vreinterpretq_u8_u16(vzip2q_u16(a, b));
  }
}

// How many vectors of four outputs are computed at once: enough for four cells, so that other sums
// can proceed while an instruction waits for its own.
template <typename Dots, int kUnits>
constexpr int fours_at_once() {
  constexpr int kCells = kUnits * Dots::kCells;
  return kCells < 4 ? 4 / kCells : 1;
}

// parts[unit][cell] += dot products of 64 weights of each output, times the scales of their blocks,
// times their activations' scale; for 4 * kFours outputs, of which `first` is the first.
template <typename Dots, WeightFormat kFormat, int kUnits, int kFours>
REDRAFT_INLINE void add_pair(const std::uint8_t* super, int first, const typename Dots::Input& x,
                             std::ptrdiff_t pair, float32x4_t (*parts)[kFours * Dots::kCells]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kCells = kFours * Dots::kCells;
  constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  constexpr bool kHasStart = code_offset(kFormat) == 4 || code_offset(kFormat) == 32;
  constexpr int kRuns = runs_of_pair(kFormat);  // each with a scale of its own
  int32x4_t scaled[kUnits][kCells];
  REDRAFT_UNROLL
  for (int run = 0; run < kRuns; ++run) {
    int32x4_t dots[kUnits][kCells];
    REDRAFT_UNROLL
    for (int unit = 0; unit < kUnits; ++unit) {
      int32x4_t start = vdupq_n_s32(0);
      if constexpr (kHasStart)
        start = Dots::template spread<kUnits>(
            x, unit, [&](const auto& row) { return row.offsets[kRuns * pair + run]; });
      if constexpr (code_offset(kFormat) == 4) start = vshrq_n_s32(start, 3);
      REDRAFT_UNROLL
      for (int cell = 0; cell < kCells; ++cell) dots[unit][cell] = start;
    }
    REDRAFT_UNROLL
    for (int half = run * 4 / kRuns; half < (run + 1) * 4 / kRuns; ++half) {
      Dots::template add<kFormat, kUnits, kFours>(
          super + (2 * pair + half / 2) * kCodeBytes + 4 * first, half % 2, x,
          2 * pair * kBlock + half * kBlock / 2, dots);
    }
    REDRAFT_UNROLL
    for (int cell = 0; cell < kCells; ++cell) {
      const std::uint8_t* bytes = super + kLayout.scales + (kRuns * pair + run) * kTileOutputs +
                                  first + cell / Dots::kCells * 4;
      const int32x4_t scale = Dots::of_cell(load_run_scales<kFormat>(bytes), cell % Dots::kCells);
      REDRAFT_UNROLL
      for (int unit = 0; unit < kUnits; ++unit) {
        int32x4_t& sum = scaled[unit][cell];
        sum =
            run == 0 ? vmulq_s32(dots[unit][cell], scale) : vmlaq_s32(sum, dots[unit][cell], scale);
      }
    }
  }
  REDRAFT_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    const float32x4_t scale = Dots::template spread<kUnits>(
        x, unit, [&](const auto& row) { return row.scales[2 * pair]; });
    REDRAFT_UNROLL
    for (int cell = 0; cell < kCells; ++cell)
      parts[unit][cell] = vfmaq_f32(parts[unit][cell], vcvtq_f32_s32(scaled[unit][cell]), scale);
  }
}

// Subtracts a superblock's minima times the sums of its activations, for eight outputs from `first`
// on.
template <typename Dots, WeightFormat kFormat, int kUnits>
REDRAFT_INLINE void subtract_minima(const std::uint8_t* super, int first,
                                    const typename Dots::Input& x,
                                    float32x4_t (*sums)[kTileOutputs / 4 * Dots::kCells]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kCells = kEight * Dots::kCells;
  typename Dots::OpenedMinima opened;
  Dots::open_minima(super + kLayout.mins + 2 * first, opened);
  REDRAFT_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    int32x4_t dots[kCells];
    Dots::template add_minima<kUnits>(opened, x, unit, dots);
    const float32x4_t coarse =
        Dots::template spread<kUnits>(x, unit, [](const auto& row) { return row.coarse_scale; });
    REDRAFT_UNROLL
    for (int cell = 0; cell < kCells; ++cell) {
      const float32x4_t m = load_halves(super + kLayout.m + 2 * first + cell / Dots::kCells * 8);
      float32x4_t& sum = sums[unit][first / 4 * Dots::kCells + cell];
      sum = vfmsq_f32(sum, vmulq_f32(Dots::of_cell(m, cell % Dots::kCells), coarse),
                      vcvtq_f32_s32(dots[cell]));
    }
  }
}

// The same for minima of 16 weights, which are the high bits of the scales and whose sums are
// exact; for four outputs from `first` on.
template <typename Dots, WeightFormat kFormat, int kUnits>
REDRAFT_INLINE void subtract_nibble_minima(const std::uint8_t* super, int first,
                                           const typename Dots::Input& x,
                                           float32x4_t (*sums)[kTileOutputs / 4 * Dots::kCells]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  const float32x4_t m = load_halves(super + kLayout.m + 2 * first);
  float32x4_t all[kUnits][Dots::kCells];
  REDRAFT_UNROLL
  for (auto& unit : all) {
    REDRAFT_UNROLL
    for (float32x4_t& sum : unit) sum = vdupq_n_f32(0);
  }
#pragma GCC unroll 1
  for (int pair = 0; pair < 4; ++pair) {
    int32x4_t mins[4];
    REDRAFT_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::uint8_t* scales = super + kLayout.scales + (4 * pair + i) * kTileOutputs + first;
      mins[i] = widen(vshr_n_u8(load_four(scales), 4));
    }
    REDRAFT_UNROLL
    for (int unit = 0; unit < kUnits; ++unit) {
      int32x4_t dots[Dots::kCells];
      REDRAFT_UNROLL
      for (int32x4_t& dot : dots) dot = vdupq_n_s32(0);
      REDRAFT_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int32x4_t sum = Dots::template spread<kUnits>(x, unit, [&](const auto& row) {
          return static_cast<std::int32_t>(row.sums[4 * pair + i]);
        });
        REDRAFT_UNROLL
        for (int cell = 0; cell < Dots::kCells; ++cell)
          dots[cell] = vmlaq_s32(dots[cell], Dots::of_cell(mins[i], cell), sum);
      }
      const float32x4_t scale = Dots::template spread<kUnits>(
          x, unit, [&](const auto& row) { return row.scales[2 * pair]; });
      REDRAFT_UNROLL
      for (int cell = 0; cell < Dots::kCells; ++cell)
        all[unit][cell] = vfmaq_f32(all[unit][cell], vcvtq_f32_s32(dots[cell]), scale);
    }
  }
  REDRAFT_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    REDRAFT_UNROLL
    for (int cell = 0; cell < Dots::kCells; ++cell) {
      float32x4_t& sum = sums[unit][first / 4 * Dots::kCells + cell];
      sum = vfmsq_f32(sum, Dots::of_cell(m, cell), all[unit][cell]);
    }
  }
}

template <typename Dots, WeightFormat kFormat, int kUnits>
REDRAFT_INLINE void add_k_superblock(const std::uint8_t* super, const typename Dots::Input& x,
                                     float32x4_t (*sums)[kTileOutputs / 4 * Dots::kCells]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kFours = fours_at_once<Dots, kUnits>();
  constexpr int kCells = kFours * Dots::kCells;
  constexpr int kBytes = kLayout.bytes / 16 * kFours;  // to be prefetched with a pair of blocks
#pragma GCC unroll 1
  for (int first = 0; first < kTileOutputs; first += 4 * kFours) {
    float32x4_t parts[kUnits][kCells];
    REDRAFT_UNROLL
    for (auto& unit : parts) {
      REDRAFT_UNROLL
      for (float32x4_t& part : unit) part = vdupq_n_f32(0);
    }
#pragma GCC unroll 1
    for (std::ptrdiff_t pair = 0; pair < 4; ++pair) {
      prefetch_weights<kUnits * Dots::kRows>(super + (first / kFours + pair) * kBytes, kBytes,
                                             true);
      add_pair<Dots, kFormat, kUnits, kFours>(super, first, x, pair, parts);
    }
    REDRAFT_UNROLL
    for (int cell = 0; cell < kCells; ++cell) {
      const float32x4_t d =
          Dots::of_cell(load_halves(super + kLayout.d + 2 * first + cell / Dots::kCells * 8),
                        cell % Dots::kCells);
      REDRAFT_UNROLL
      for (int unit = 0; unit < kUnits; ++unit) {
        float32x4_t& sum = sums[unit][first / 4 * Dots::kCells + cell];
        sum = vfmaq_f32(sum, d, parts[unit][cell]);
      }
    }
  }
  if constexpr (has_nibble_scales(kFormat)) {
    REDRAFT_UNROLL
    for (int first = 0; first < kTileOutputs; first += 4)
      subtract_nibble_minima<Dots, kFormat, kUnits>(super, first, x, sums);
  } else if constexpr (has_minimum(kFormat)) {
    subtract_minima<Dots, kFormat, kUnits>(super, 0, x, sums);
    subtract_minima<Dots, kFormat, kUnits>(super, 8, x, sums);
  }
}

// The contribution of the offset of a format's codes to the dot products of a block.
template <typename Dots, WeightFormat kFormat, int kUnits>
REDRAFT_INLINE int32x4_t offset_of(const typename Dots::Input& x, int unit, std::ptrdiff_t block) {
  if constexpr (kFormat == WeightFormat::kQ4_0)
    return vshrq_n_s32(Dots::template offsets<kUnits>(x, unit, block), 2);
  if constexpr (kFormat == WeightFormat::kQ5_0)
    return vshrq_n_s32(Dots::template offsets<kUnits>(x, unit, block), 1);
  return vdupq_n_s32(0);
}

// Adds a block with float scales, for 4 * kFours outputs from `first` on.
template <typename Dots, WeightFormat kFormat, int kUnits, int kFours>
REDRAFT_INLINE void add_block(const std::uint8_t* super, const SuperblockLayout& layout, int first,
                              const typename Dots::Input& x, std::ptrdiff_t block,
                              float32x4_t (*sums)[kFours * Dots::kCells]) {
  constexpr int kCells = kFours * Dots::kCells;
  int32x4_t dots[kUnits][kCells];
  REDRAFT_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    const int32x4_t start = offset_of<Dots, kFormat, kUnits>(x, unit, block);
    REDRAFT_UNROLL
    for (int cell = 0; cell < kCells; ++cell) dots[unit][cell] = start;
  }
  REDRAFT_UNROLL
  for (int half = 0; half < 2; ++half)
    Dots::template add<kFormat, kUnits, kFours>(
        super + block * code_bytes(code_bits(kFormat)) + 4 * first, half, x,
        block * kBlock + half * kBlock / 2, dots);
  REDRAFT_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    const float32x4_t scale =
        Dots::template spread<kUnits>(x, unit, [&](const auto& row) { return row.scales[block]; });
    const float32x4_t scaled_sum = Dots::template spread<kUnits>(
        x, unit, [&](const auto& row) { return row.scaled_sums[block]; });
    REDRAFT_UNROLL
    for (int cell = 0; cell < kCells; ++cell) {
      const auto load = [&](int at) {
        const int output = first + cell / Dots::kCells * 4;
        return Dots::of_cell(load_block_scales<kFormat>(super + at, block, output),
                             cell % Dots::kCells);
      };
      float32x4_t& sum = sums[unit][cell];
      sum = vfmaq_f32(sum, vmulq_f32(vcvtq_f32_s32(dots[unit][cell]), load(layout.d)), scale);
      if constexpr (has_minimum(kFormat)) sum = vfmaq_f32(sum, load(layout.m), scaled_sum);
    }
  }
}

// A superblock of a format with float block scales, of which `blocks` blocks remain.
template <typename Dots, WeightFormat kFormat, int kUnits>
REDRAFT_INLINE void add_superblock(const std::uint8_t* super, const SuperblockLayout& layout,
                                   int blocks, const typename Dots::Input& x,
                                   float32x4_t (*sums)[kTileOutputs / 4 * Dots::kCells]) {
  constexpr int kFours = fours_at_once<Dots, kUnits>();
  constexpr int kCells = kFours * Dots::kCells;
  constexpr int kBlockBytes = block_bytes(kFormat);
  constexpr int kBytes = kBlockBytes / 4 * kFours;  // to be prefetched with a block
#pragma GCC unroll 1
  for (int first = 0; first < kTileOutputs; first += 4 * kFours) {
    float32x4_t some[kUnits][kCells];
    REDRAFT_UNROLL
    for (int unit = 0; unit < kUnits; ++unit) {
      REDRAFT_UNROLL
      for (int cell = 0; cell < kCells; ++cell)
        some[unit][cell] = sums[unit][first / 4 * Dots::kCells + cell];
    }
#pragma GCC unroll 1
    for (std::ptrdiff_t block = 0; block < blocks; ++block) {
      prefetch_weights<kUnits * Dots::kRows>(
          super + (first / (4 * kFours) * blocks + block) * kBytes, kBytes, true);
      add_block<Dots, kFormat, kUnits, kFours>(super, layout, first, x, block, some);
    }
    REDRAFT_UNROLL
    for (int unit = 0; unit < kUnits; ++unit) {
      REDRAFT_UNROLL
      for (int cell = 0; cell < kCells; ++cell)
        sums[unit][first / 4 * Dots::kCells + cell] = some[unit][cell];
    }
  }
}

// A whole tile for kUnits units of rows.
template <typename Dots, WeightFormat kFormat, int kUnits>
void add_tile(const std::uint8_t* tile, typename Dots::Input x, int blocks, float* out) {
  float32x4_t sums[kUnits][kTileOutputs / 4 * Dots::kCells];
  REDRAFT_UNROLL
  for (auto& unit : sums) {
    REDRAFT_UNROLL
    for (float32x4_t& sum : unit) sum = vdupq_n_f32(0);
  }
  for (; blocks > 0; blocks -= kSuperblockBlocks, x.advance()) {
    const int here = blocks < kSuperblockBlocks ? blocks : kSuperblockBlocks;
    const SuperblockLayout layout = superblock_layout(kFormat, here);
    if constexpr (is_k_format(kFormat)) {
      add_k_superblock<Dots, kFormat, kUnits>(tile, x, sums);
    } else {
      add_superblock<Dots, kFormat, kUnits>(tile, layout, here, x, sums);
    }
    tile += layout.bytes;
  }
  Dots::template store<kUnits>(sums, x, out);
}

}  // namespace
}  // namespace redraft::kernels
