#pragma once

#include <immintrin.h>

#include <cstddef>

#include "decoding/kernels/opened_weights_256.h"
#include "decoding/kernels/packed_layout.h"
#include "decoding/kernels/prefetch_weights.h"
#include "decoding/kernels/tile_kernel_template.h"

// Tile kernels for registers of 256 bits: the 16 outputs are in two of them ("halves"), and four
// activations are broadcast once for both. Codes are opened to a byte each. For up to four rows
// they stay in registers if there are enough. With more rows they are opened to memory once for
// all, and four rows at a time read them from there, so that sums stay in registers. While the
// first four rows multiply, the next codes are opened. The integers are exact, so their order is
// free. The float part of a (row, output) runs front to back and is the same for every number of
// rows and for every instruction set.
//
// Dots multiplies opened codes by activations:
//   template <WeightFormat kFormat, int kRows, typename Between> void add_scaled(
//       const std::uint8_t* codes, const ActivationSuperblock* x, std::ptrdiff_t at,
//       const __m256i (&scale)[2], const Between& between, __m256i (*sums)[2]):
//     sums[row][half] += the dot products of a run with the rows' activations from `at` on, times
//     the outputs' scales. The offset of the codes is subtracted. Calls between.after(i) after
//     group i of the run.
//   template <WeightFormat kFormat, int kRows, typename Between> void add(codes, x, at, between,
//       sums): a block of eight groups, unscaled and with its offset.
//   template <bool kSigned> __m256i widen(__m128i bytes): eight scales for add_scaled.
//   kSignedCodes: whether it takes codes of eight bits signed, or opened, plus 128.
//
// In an unnamed namespace, because every file is compiled for other instructions and needs its own
// copy.
namespace redraft::kernels {
namespace {

// The four activations of a group within a block, broadcast.
REDRAFT_INLINE __m256i broadcast_group(const ActivationSuperblock& x, std::ptrdiff_t at) {
  int four;
  __builtin_memcpy(&four, x.quants + at, 4);
  return _mm256_set1_epi32(four);
}

// Opened codes of 64 weights of each output: groups of 4 weights, of 64 bytes each, as eight-bit
// codes are from the start.
struct OpenedCodes {
  alignas(32) std::uint8_t bytes[16 * 64];
};

// Opens group `group`, of 8 or 16, of the codes at `p` to its place in `out`.
template <typename Dots, WeightFormat kFormat>
REDRAFT_INLINE void open_to(const std::uint8_t* p, int group, std::uint8_t* out) {
  p += group / 8 * code_bytes(code_bits(kFormat));
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half)
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + 64 * group + kHalfBytes * half),
                       open_group<Dots, kFormat>(p + kHalfBytes * half, group % 8));
}

// Opens a block's codes to `out`.
template <typename Dots, WeightFormat kFormat>
REDRAFT_INLINE void open_block(const std::uint8_t* p, std::uint8_t* out) {
#pragma GCC unroll 8
  for (int group = 0; group < 8; ++group) open_to<Dots, kFormat>(p, group, out);
}

// The action after each multiplied group of codes: nothing, or ..
struct Nothing {
  REDRAFT_INLINE Nothing from(int) const { return {}; }
  REDRAFT_INLINE void after(int) const {}
};

// .. the same group of the next codes is opened to `out`. Multiplications keep one or two units of
// a core busy; opening needs the others.
template <typename Dots, WeightFormat kFormat>
struct OpenNext {
  const std::uint8_t* codes;
  std::uint8_t* out;
  int first = 0;
  REDRAFT_INLINE OpenNext from(int group) const { return {codes, out, group}; }
  REDRAFT_INLINE void after(int group) const { open_to<Dots, kFormat>(codes, first + group, out); }
};

// parts[row][half] += dot products of 64 weights of each output, times the scales of their blocks,
// times their activations' scale.
template <typename Dots, WeightFormat kFormat, int kRows, typename Between>
REDRAFT_INLINE void add_pair(const std::uint8_t* codes, const std::uint8_t* super,
                             const ActivationSuperblock* x, std::ptrdiff_t pair,
                             const Between& between, __m256 (*parts)[2]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kRuns = runs_of_pair(kFormat);  // each with a scale of its own
  constexpr int kGroups = 16 / kRuns;
  __m256i scaled[kRows][2];
  for (int row = 0; row < kRows; ++row) scaled[row][0] = scaled[row][1] = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int run = 0; run < kRuns; ++run) {
    const std::uint8_t* bytes = super + kLayout.scales + (kRuns * pair + run) * kTileOutputs;
    const __m256i scale[2] = {load_run_scale<Dots, kFormat>(bytes),
                              load_run_scale<Dots, kFormat>(bytes + 8)};
    Dots::template add_scaled<kFormat, kRows>(codes + 64 * run * kGroups, x,
                                              2 * pair * kBlock + run * kGroups * 4, scale,
                                              between.from(run * kGroups), scaled);
  }
  for (int row = 0; row < kRows; ++row) {
    const __m256 scale = _mm256_set1_ps(x[row].scales[2 * pair]);
    for (int half = 0; half < 2; ++half)
      parts[row][half] =
          _mm256_fmadd_ps(_mm256_cvtepi32_ps(scaled[row][half]), scale, parts[row][half]);
  }
}

// Subtracts a superblock's minima times the sums of its activations: sums[row][half] -= ...
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void subtract_minima(const std::uint8_t* super, const ActivationSuperblock* x,
                                    int half, __m256 (*sums)[2]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  const __m256 m = load_halves(super + kLayout.m + half * 16);
  __m256i mins[4];
  for (int i = 0; i < 4; ++i) {
    mins[i] = _mm256_cvtepu8_epi16(_mm_loadu_si128(
        reinterpret_cast<const __m128i*>(super + kLayout.mins + 32 * i + half * 16)));
  }
  for (int row = 0; row < kRows; ++row) {
    __m256i dot = _mm256_setzero_si256();
    for (int i = 0; i < 4; ++i) {
      int two;
      __builtin_memcpy(&two, x[row].coarse_sums + 2 * i, 4);
      dot = _mm256_add_epi32(dot, _mm256_madd_epi16(mins[i], _mm256_set1_epi32(two)));
    }
    const __m256 scale = _mm256_mul_ps(m, _mm256_set1_ps(x[row].coarse_scale));
    sums[row][half] = _mm256_fnmadd_ps(scale, _mm256_cvtepi32_ps(dot), sums[row][half]);
  }
}

// The same for minima of 16 weights, which are the high bits of the scales and whose sums are
// exact.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void subtract_nibble_minima(const std::uint8_t* super, const ActivationSuperblock* x,
                                           int half, __m256 (*sums)[2]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  const __m256 m = load_halves(super + kLayout.m + half * 16);
  __m256i mins[8];  // of two neighbouring runs each
  for (int i = 0; i < 8; ++i) {
    const std::uint8_t* scales = super + kLayout.scales + 2 * i * kTileOutputs + half * 8;
    const __m128i two = _mm_unpacklo_epi8(load_eight(scales), load_eight(scales + kTileOutputs));
    mins[i] = _mm256_srli_epi16(_mm256_cvtepu8_epi16(two), 4);
  }
  for (int row = 0; row < kRows; ++row) {
    __m256 all = _mm256_setzero_ps();
    for (int pair = 0; pair < 4; ++pair) {
      __m256i dot[2];
      for (int i = 0; i < 2; ++i) {
        int two;
        __builtin_memcpy(&two, x[row].sums + 4 * pair + 2 * i, 4);
        dot[i] = _mm256_madd_epi16(mins[2 * pair + i], _mm256_set1_epi32(two));
      }
      all = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(dot[0], dot[1])),
                            _mm256_set1_ps(x[row].scales[2 * pair]), all);
    }
    sums[row][half] = _mm256_fnmadd_ps(m, all, sums[row][half]);
  }
}

// sums[row][half] += a superblock's products; parts[row][half] are all but the last scale.
template <WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_parts(const std::uint8_t* super, const ActivationSuperblock* x,
                              const __m256 (*parts)[2], __m256 (*sums)[2]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  for (int half = 0; half < 2; ++half) {
    const __m256 d = load_halves(super + kLayout.d + half * 16);
    for (int row = 0; row < kRows; ++row)
      sums[row][half] = _mm256_fmadd_ps(d, parts[row][half], sums[row][half]);
    if constexpr (has_nibble_scales(kFormat)) {
      subtract_nibble_minima<kFormat, kRows>(super, x, half, sums);
    } else if constexpr (has_minimum(kFormat)) {
      subtract_minima<kFormat, kRows>(super, x, half, sums);
    }
  }
}

// A superblock of a K format for few rows.
template <typename Dots, WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_k_superblock(const std::uint8_t* super, const ActivationSuperblock* x,
                                     __m256 (*sums)[2]) {
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  __m256 parts[kRows][2];
  for (int row = 0; row < kRows; ++row) parts[row][0] = parts[row][1] = _mm256_setzero_ps();
  OpenedCodes opened;
#pragma GCC unroll 1
  for (std::ptrdiff_t pair = 0; pair < 4; ++pair) {
    prefetch_weights<kRows>(super + pair * (kLayout.bytes / 4), kLayout.bytes / 4, true);
    open_block<Dots, kFormat>(super + 2 * pair * kCodeBytes, opened.bytes);
    open_block<Dots, kFormat>(super + (2 * pair + 1) * kCodeBytes, opened.bytes + 8 * 64);
    add_pair<Dots, kFormat, kRows>(opened.bytes, super, x, pair, Nothing(), parts);
  }
  add_parts<kFormat, kRows>(super, x, parts, sums);
}

// The offset of a format's codes times the sum of a block's activations, to be subtracted.
template <typename Dots, WeightFormat kFormat>
REDRAFT_INLINE int offset_of(const ActivationSuperblock& x, std::ptrdiff_t block) {
  int offset = 0;
  for (int i = 0; i < 2; ++i) {
    std::int16_t pair[2];
    __builtin_memcpy(pair, &x.offsets[2 * block + i], 4);
    offset += pair[0] + pair[1];
  }
  return opens_signed<Dots, kFormat>() ? 0 : offset / 32 * code_offset(kFormat);
}

// Adds a block with float scales to sums[row][half].
template <typename Dots, WeightFormat kFormat, int kRows, typename Between>
REDRAFT_INLINE void add_block(const std::uint8_t* codes, const std::uint8_t* super,
                              const SuperblockLayout& layout, const ActivationSuperblock* x,
                              std::ptrdiff_t block, const Between& between, __m256 (*sums)[2]) {
  __m256i dots[kRows][2];
  for (int row = 0; row < kRows; ++row) {
    dots[row][0] = dots[row][1] = _mm256_set1_epi32(offset_of<Dots, kFormat>(x[row], block));
  }
  Dots::template add<kFormat, kRows>(codes, x, block * kBlock, between, dots);
  for (int half = 0; half < 2; ++half) {
    constexpr int kBytes = d_bytes(kFormat);
    const __m256 d = load_scales<kFormat>(super + layout.d + block * kBytes + half * kBytes / 2);
    __m256 m = _mm256_setzero_ps();
    if constexpr (has_minimum(kFormat)) m = load_halves(super + layout.m + block * 32 + half * 16);
    for (int row = 0; row < kRows; ++row) {
      const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(dots[row][half]), d);
      __m256& sum = sums[row][half];
      sum = _mm256_fmadd_ps(scaled, _mm256_set1_ps(x[row].scales[block]), sum);
      if constexpr (has_minimum(kFormat))
        sum = _mm256_fmadd_ps(m, _mm256_set1_ps(x[row].scaled_sums[block]), sum);
    }
  }
}

// Whether a format's codes are opened before they are multiplied.
template <typename Dots, WeightFormat kFormat>
constexpr bool opens_codes() {
  return code_bits(kFormat) != 8 || !Dots::kSignedCodes;
}

// A superblock of a format with float block scales, of which `blocks` blocks remain, for few rows.
template <typename Dots, WeightFormat kFormat, int kRows>
REDRAFT_INLINE void add_superblock(const std::uint8_t* super, const SuperblockLayout& layout,
                                   int blocks, const ActivationSuperblock* x, __m256 (*sums)[2]) {
  constexpr int kBlockBytes = block_bytes(kFormat);
  OpenedCodes opened;
#pragma GCC unroll 1
  for (std::ptrdiff_t block = 0; block < blocks; ++block) {
    prefetch_weights<kRows>(super + block * kBlockBytes, kBlockBytes, true);
    const std::uint8_t* codes = super + block * code_bytes(code_bits(kFormat));
    if constexpr (opens_codes<Dots, kFormat>()) {
      open_block<Dots, kFormat>(codes, opened.bytes);
      codes = opened.bytes;
    }
    add_block<Dots, kFormat, kRows>(codes, super, layout, x, block, Nothing(), sums);
  }
}

// Up to this many rows use codes that were opened just before. If there are more rows, this many
// are processed at a time.
constexpr int kFewRows = 4;

// Adds one opened unit of codes for a few rows: in a K format two blocks, which share a scale of
// the activations, to their parts, otherwise one block to their sums. A separate function: with the
// codes in memory, registers suffice for four rows.
template <typename Dots, WeightFormat kFormat, int kRows, typename Between>
[[gnu::noinline]] void add_unit(const std::uint8_t* codes, const std::uint8_t* super,
                                const SuperblockLayout& layout, const ActivationSuperblock* x,
                                std::ptrdiff_t index, Between between, __m256 (*to)[2]) {
  if constexpr (is_k_format(kFormat)) {
    add_pair<Dots, kFormat, kRows>(codes, super, x, index, between, to);
  } else {
    add_block<Dots, kFormat, kRows>(codes, super, layout, x, index, between, to);
  }
}

// Adds parts to sums, and begins new ones.
template <WeightFormat kFormat, int kRows>
[[gnu::noinline]] void take_parts(const std::uint8_t* super, const ActivationSuperblock* x,
                                  __m256 (*parts)[2], __m256 (*sums)[2]) {
  add_parts<kFormat, kRows>(super, x, parts, sums);
  for (int row = 0; row < kRows; ++row) parts[row][0] = parts[row][1] = _mm256_setzero_ps();
}

// A few rows of one group.
struct Run {
  int first;                      // among the call's rows
  const ActivationSuperblock* x;  // of the first one, in a superblock
};

template <int kCount>
struct RowCount {
  static constexpr int kRows = kCount;
};

// Calls work(run, its RowCount) for all runs of the rows in superblock `index` of `superblocks`.
template <typename Work>
REDRAFT_INLINE void for_each_run(const ActivationSuperblock* x, int rows, int superblocks,
                                 int index, const Work& work) {
  for (int row = 0; row < rows; row += kFewRows) {
    const int group = row / kRowGroup;
    const Run run{row, x + static_cast<std::ptrdiff_t>(group) * kRowGroup * superblocks +
                           index * rows_in_group(rows, group) + row % kRowGroup};
    switch (rows - row) {
      case 1:
        work(run, RowCount<1>());
        break;
      case 2:
        work(run, RowCount<2>());
        break;
      case 3:
        work(run, RowCount<3>());
        break;
      default:
        work(run, RowCount<4>());
    }
  }
}

template <typename Dots, WeightFormat kFormat>
struct ManyRows {
  static constexpr int kUnitBlocks = is_k_format(kFormat) ? 2 : 1;
  static constexpr int kUnitCodes = kUnitBlocks * code_bytes(code_bits(kFormat));

  static void run(const std::uint8_t* tile, const ActivationSuperblock* x, int rows, int blocks,
                  float* out) {
    __m256 sums[kMaxTileRows][2];
    __m256 parts[kMaxTileRows][2];
    for (int row = 0; row < rows; ++row)
      sums[row][0] = sums[row][1] = parts[row][0] = parts[row][1] = _mm256_setzero_ps();
    const std::uint8_t* const begin = tile;
    const int superblocks = (blocks + kSuperblockBlocks - 1) / kSuperblockBlocks;
    OpenedCodes opened[2];  // in turn
    for (int i = 0; i < 8 * kUnitBlocks; ++i) open_to<Dots, kFormat>(tile, i, opened[0].bytes);
    int turn = 0;
    for (int superblock = 0; superblock < superblocks; ++superblock, blocks -= kSuperblockBlocks) {
      const int here = blocks < kSuperblockBlocks ? blocks : kSuperblockBlocks;
      const SuperblockLayout layout = superblock_layout(kFormat, here);
      const int units = here / kUnitBlocks;
      for (int unit = 0; unit < units; ++unit, turn ^= 1) {
        prefetch_weights<kRowGroup>(tile + layout.bytes / units * unit, layout.bytes / units, true);
        const std::uint8_t* const codes = tile + unit * kUnitCodes;
        // Nothing follows the last unit, so the first one is opened again.
        const std::uint8_t* const next = unit + 1 < units               ? codes + kUnitCodes
                                         : superblock + 1 < superblocks ? tile + layout.bytes
                                                                        : begin;
        const OpenNext<Dots, kFormat> opens{next, opened[turn ^ 1].bytes};
        for_each_run(x, rows, superblocks, superblock, [&](Run run, auto count) {
          constexpr int kRows = decltype(count)::kRows;
          __m256(*const to)[2] = (is_k_format(kFormat) ? parts : sums) + run.first;
          if (!opens_codes<Dots, kFormat>()) {
            add_unit<Dots, kFormat, kRows>(codes, tile, layout, run.x, unit, Nothing(), to);
          } else if (run.first == 0) {
            add_unit<Dots, kFormat, kRows>(opened[turn].bytes, tile, layout, run.x, unit, opens,
                                           to);
          } else {
            add_unit<Dots, kFormat, kRows>(opened[turn].bytes, tile, layout, run.x, unit, Nothing(),
                                           to);
          }
        });
      }
      if constexpr (is_k_format(kFormat)) {
        for_each_run(x, rows, superblocks, superblock, [&](Run run, auto count) {
          take_parts<kFormat, decltype(count)::kRows>(tile, run.x, parts + run.first,
                                                      sums + run.first);
        });
      }
      tile += layout.bytes;
    }
    for (int i = 0; i < 2 * rows; ++i) _mm256_storeu_ps(out + 8 * i, sums[i / 2][i % 2]);
  }
};

template <typename Dots, WeightFormat kFormat, int kRows>
void run_few_rows(const std::uint8_t* tile, const ActivationSuperblock* x, int blocks, float* out) {
  __m256 sums[kRows][2];
  for (int row = 0; row < kRows; ++row) sums[row][0] = sums[row][1] = _mm256_setzero_ps();
  for (; blocks > 0; blocks -= kSuperblockBlocks, x += kRows) {
    const int here = blocks < kSuperblockBlocks ? blocks : kSuperblockBlocks;
    const SuperblockLayout layout = superblock_layout(kFormat, here);
    if constexpr (is_k_format(kFormat)) {
      add_k_superblock<Dots, kFormat, kRows>(tile, x, sums);
    } else {
      add_superblock<Dots, kFormat, kRows>(tile, layout, here, x, sums);
    }
    tile += layout.bytes;
  }
  for (int row = 0; row < kRows; ++row) {
    _mm256_storeu_ps(out + row * kTileOutputs, sums[row][0]);
    _mm256_storeu_ps(out + row * kTileOutputs + 8, sums[row][1]);
  }
}

template <typename Dots>
struct Kernels {
  template <WeightFormat kFormat>
  struct Kernel {
    static void run(const std::uint8_t* tile, const ActivationSuperblock* x, int rows, int blocks,
                    float* out) {
      switch (rows) {
        case 1:
          return run_few_rows<Dots, kFormat, 1>(tile, x, blocks, out);
        case 2:
          return run_few_rows<Dots, kFormat, 2>(tile, x, blocks, out);
        case 3:
          return run_few_rows<Dots, kFormat, 3>(tile, x, blocks, out);
        case kFewRows:
          return run_few_rows<Dots, kFormat, kFewRows>(tile, x, blocks, out);
        default:
          return ManyRows<Dots, kFormat>::run(tile, x, rows, blocks, out);
      }
    }
  };

  static TileKernel of_format(WeightFormat format) { return kernel_of_format<Kernel>(format); }
};

}  // namespace
}  // namespace redraft::kernels
