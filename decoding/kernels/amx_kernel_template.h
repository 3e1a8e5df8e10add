#pragma once

#include <type_traits>

#include "decoding/kernels/amx_kernel.h"
#include "decoding/kernels/opened_weights_avx512.h"
#include "decoding/kernels/tile_kernel_template.h"

// Tile kernels for AMX. The instruction that matters multiplies 16 rows of up to 64 bytes by the
// same number of groups of 4 k x 16 outputs, which is how weights are packed, and adds the products
// to 16 x 16 integers. A product extends over the k that share a block's scale: 32, or 16 (Q2_K,
// Q3_K, Q6_K). Both operands are signed here, so codes lose their offset where they are unpacked,
// once for all rows, and Q8_0 is multiplied as it is in memory.
//
// A row has the same bits as with AVX-512 (linear_avx512.cpp). The integers are exact, so their
// order is free; the float part is the same operations in the same order. The only difference, how
// a K format's integers become a float, does not change the result. There, two (runs of 16: four)
// products are scaled and added as integers and then rounded to a float. Here, scaling and adding
// two is float arithmetic, exact because the sum stays below 2^24 (Q5_K: 2 * 32 * 31 * 127 * 63;
// Q6_K: 2 * 16 * 32 * 127 * 128), and adding the two halves of Q6_K's four rounds the same sum
// once. Q2_K and Q3_K are like Q6_K, with smaller numbers. Each scaled product of IQ4_XS stays
// below 2^24 (32 * 127 * 127 * 32), and one fused multiply-add rounds their sum once.
//
// The matrix unit has a latency of about fifty cycles, and other instructions read what it stores.
// So work is cut into parts, 16 rows times four runs of k (a "step"). While the loop multiplies one
// part, it scales and adds up the previous part and unpacks the codes of the next step: neither
// waits for the other, and the matrix unit works in parallel with the vector units. The addresses
// where one part is stored and those where the other is read differ in their low 12 bits, by which
// processors guess whether a load depends on a store; and a part's 64 cache lines leave room in the
// store buffer.
//
// Unit is the processor's tiles, or an emulation of them for tests. Only files that are compiled
// for AVX-512 include this.
namespace redraft::kernels {
namespace {

// The operand of LDTILECFG: bytes per row and rows of each of the eight tiles.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

// Tiles 0..3 hold the sums of four runs, 16 rows and 16 outputs each; 4 and 5 hold activations of
// 16 rows and `k` bytes; 6 and 7 the codes of k and 16 outputs.
constexpr TileConfig tile_config(int k) {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = static_cast<std::uint16_t>(tile == 4 || tile == 5 ? k : 64);
    config.rows[tile] = static_cast<std::uint8_t>(tile < 6 ? kAmxTileRows : k / 4);
  }
  return config;
}

// A step has four runs of k, each with its own scale: four blocks, or two of a format with runs of
// 16.
constexpr int kRuns = 4;

// A group's codes, with the offset subtracted for formats that have one.
template <WeightFormat kFormat>
REDRAFT_INLINE __m512i open_signed_group(const std::uint8_t* block, int group) {
  if constexpr (has_table(kFormat)) {
    static constexpr OpenTable kSigned = open_table(kFormat, 0, 1 << code_shift(kFormat));
    return look_up_group(block, group, kSigned);
  }
  const __m512i codes = open_group<kFormat>(block, group);
  return has_minimum(kFormat) ? codes : _mm512_sub_epi8(codes, _mm512_set1_epi8(32));
}

// One tile of weights and up to kAmxRows rows.
template <typename Unit, WeightFormat kFormat>
class AmxProduct {
 public:
  AmxProduct(const std::uint8_t* tile, const AmxInput& x, int rows, int blocks, float* out)
      : tile_(tile),
        x_(x),
        rows_(rows),
        blocks_(blocks),
        superblocks_(static_cast<std::size_t>(blocks + kSuperblockBlocks - 1) / kSuperblockBlocks),
        out_(out) {}

  void run() {
    for (int row = 0; row < rows_; ++row) {
      _mm512_storeu_ps(out_ + row * kTileOutputs, _mm512_setzero_ps());
      _mm512_store_ps(sums_[row], _mm512_setzero_ps());
    }
    const int steps = (blocks_ + kStepBlocks - 1) / kStepBlocks;
    Part before{};
    int slot = 0;
    open(0);
#pragma GCC unroll 1
    for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 1
      for (int row = 0; row < rows_; row += kAmxTileRows) {
        const Part part{step, row, slot};
        multiply(part);
        if (row == 0 && step + 1 < steps) open(step + 1);
        if (step + row > 0) add(before);
        before = part;
        slot ^= 1;
      }
    }
    add(before);
  }

 private:
  struct Part {
    int step;
    int row;  // its first
    int slot;
  };

  static constexpr int kRunSize = run_size(kFormat);
  static constexpr int kStepBlocks = kRuns * kRunSize / kBlock;
  static constexpr int kCodeBytes = code_bytes(code_bits(kFormat));
  static constexpr int kSteps = kSuperblockBlocks / kStepBlocks;  // of a superblock
  static constexpr SuperblockLayout kLayout = superblock_layout(kFormat, kSuperblockBlocks);
  static constexpr bool kOpened = kFormat != WeightFormat::kQ8_0;

  // All superblocks before the last are whole.
  REDRAFT_INLINE const std::uint8_t* superblock(int step) const {
    return tile_ + static_cast<std::size_t>(step / kSteps) * kLayout.bytes;
  }
  REDRAFT_INLINE const std::uint8_t* packed_codes(int step) const {
    return superblock(step) + step % kSteps * kStepBlocks * kCodeBytes;
  }
  // The last step may have fewer, but not in a K format.
  REDRAFT_INLINE int blocks_of(int step) const {
    const int left = blocks_ - step * kStepBlocks;
    return is_k_format(kFormat) || left > kStepBlocks ? kStepBlocks : left;
  }

  REDRAFT_INLINE void open(int step) {
    constexpr int kStepBytes = (kLayout.bytes / kSteps + 63) / 64 * 64;
    constexpr int kAhead = 8192;
    const std::uint8_t* ahead = superblock(step) + step % kSteps * kStepBytes + kAhead;
    for (int i = 0; i < kStepBytes; i += 64)
      _mm_prefetch(reinterpret_cast<const char*>(ahead + i), _MM_HINT_T1);
    if constexpr (kOpened) {
      const std::uint8_t* codes = packed_codes(step);
      std::uint8_t* opened = codes_[step % 2];
      for (int block = 0; block < blocks_of(step); ++block) {
#pragma GCC unroll 8
        for (int group = 0; group < 8; ++group) {
          _mm512_store_si512(opened + (block * 8 + group) * 64,
                             open_signed_group<kFormat>(codes + block * kCodeBytes, group));
        }
      }
    }
  }

  // Run kRun of a part; does not depend on the other runs.
  template <int kRun>
  REDRAFT_INLINE void multiply_run(const std::uint8_t* codes, const std::int8_t* quants) {
    // 32 k are 16 rows of 32 bytes; a run of fewer k is a part of their columns.
    constexpr int kK = kRun * kRunSize;
    constexpr int kA = 4 + kRun % 2;
    constexpr int kB = 6 + kRun % 2;
    Unit::template zero<kRun>();
    Unit::template load<kB>(codes + kK * kTileOutputs, 64);
    Unit::template load<kA>(quants + kK / kBlock * kBlock * kAmxTileRows + kK % kBlock, kBlock);
    Unit::template add_products<kRun, kA, kB>();
  }

  REDRAFT_INLINE void multiply(const Part& part) {
    const std::uint8_t* codes = kOpened ? codes_[part.step % 2] : packed_codes(part.step);
    const std::int8_t* quants =
        x_.quants + static_cast<std::size_t>(part.row) * superblocks_ * kSuperblock +
        static_cast<std::size_t>(part.step) * (kStepBlocks * kBlock * kAmxTileRows);
    const int runs = blocks_of(part.step) * kBlock / kRunSize;
    multiply_run<0>(codes, quants);
    if (runs > 1) multiply_run<1>(codes, quants);
    if (runs > 2) multiply_run<2>(codes, quants);
    if (runs > 3) multiply_run<3>(codes, quants);
    Unit::template store<0>(dots_[0][part.slot], 64);
    if (runs > 1) Unit::template store<1>(dots_[1][part.slot], 64);
    if (runs > 2) Unit::template store<2>(dots_[2][part.slot], 64);
    if (runs > 3) Unit::template store<3>(dots_[3][part.slot], 64);
  }

  // Calls take(row, row in the part, superblock) for a part's rows.
  template <typename Take>
  REDRAFT_INLINE void for_each_row(const Part& part, const Take& take) const {
    const int end = rows_ < part.row + kAmxTileRows ? rows_ : part.row + kAmxTileRows;
    for (int first = part.row; first < end; first += kRowGroup) {
      const int count = rows_ - first < kRowGroup ? rows_ - first : kRowGroup;
      const ActivationSuperblock* x =
          x_.superblocks + static_cast<std::size_t>(first) * superblocks_ +
          static_cast<std::size_t>(part.step / kSteps) * static_cast<std::size_t>(count);
      for (int row = 0; row < count; ++row) take(first + row, first - part.row + row, x[row]);
    }
  }

  REDRAFT_INLINE __m512 dots(const Part& part, int run, int row) const {
    return _mm512_cvtepi32_ps(_mm512_load_si512(dots_[run][part.slot][row]));
  }

  REDRAFT_INLINE void add(const Part& part) {
    if constexpr (is_k_format(kFormat)) {
      add_k_step(part);
      if (part.step % kSteps == kSteps - 1) add_k_superblock(part);
    } else {
      const int runs = blocks_of(part.step);
      if (runs == kRuns) return add_runs<kRuns>(part, 0);
      for (int run = 0; run < runs; ++run) add_runs<1>(part, run);
    }
  }

  REDRAFT_INLINE void add_k_step(const Part& part) {
    const int in_superblock = part.step % kSteps;
    const std::uint8_t* bytes =
        superblock(part.step) + kLayout.scales + in_superblock * kRuns * kTileOutputs;
    __m512 scales[kRuns];
    for (int run = 0; run < kRuns; ++run) {
      scales[run] = _mm512_cvtepi32_ps(load_run_scales<kFormat>(bytes + run * kTileOutputs));
    }
    const auto two = [&](int run, int row) __attribute__((always_inline)) {
      const __m512 first = _mm512_mul_ps(dots(part, run, row), scales[run]);
      return _mm512_fmadd_ps(dots(part, run + 1, row), scales[run + 1], first);
    };
    const int block = in_superblock * kStepBlocks;
    for_each_row(
        part, [&](int row, int in_part, const ActivationSuperblock& x)
                  __attribute__((always_inline)) {
                    const __m512 first = two(0, in_part);
                    const __m512 second = two(2, in_part);
                    const __m512 x_scale = _mm512_set1_ps(x.scales[block]);
                    __m512 sum = _mm512_load_ps(sums_[row]);
                    if constexpr (kRunSize < kBlock) {  // 64 k in all
                      sum = _mm512_fmadd_ps(_mm512_add_ps(first, second), x_scale, sum);
                    } else {
                      sum = _mm512_fmadd_ps(first, x_scale, sum);
                      sum = _mm512_fmadd_ps(second, _mm512_set1_ps(x.scales[block + 2]), sum);
                    }
                    _mm512_store_ps(sums_[row], sum);
                  });
  }

  // Adds the result of a superblock's steps; the part was in the last of them.
  REDRAFT_INLINE void add_k_superblock(const Part& part) {
    const std::uint8_t* super = superblock(part.step);
    const __m512 d = load_scales<kFormat>(super + kLayout.d);
    [[maybe_unused]] std::conditional_t<has_nibble_scales(kFormat), Minima<8>, Minima<4>> minima;
    if constexpr (has_minimum(kFormat)) minima = load_minima<kFormat>(super);
    for_each_row(
        part, [&](int row, int, const ActivationSuperblock& x) __attribute__((always_inline)) {
          float* out = out_ + row * kTileOutputs;
          __m512 sum = _mm512_fmadd_ps(d, _mm512_load_ps(sums_[row]), _mm512_loadu_ps(out));
          if constexpr (has_minimum(kFormat)) sum = subtract_minima(minima, x, sum);
          _mm512_storeu_ps(out, sum);
          _mm512_store_ps(sums_[row], _mm512_setzero_ps());
        });
  }

  // kCount runs, starting at `first`, of blocks with float scales.
  template <int kCount>
  REDRAFT_INLINE void add_runs(const Part& part, int first) {
    const int left = blocks_ - part.step / kSteps * kSuperblockBlocks;
    const SuperblockLayout layout =
        superblock_layout(kFormat, left < kSuperblockBlocks ? left : kSuperblockBlocks);
    const int block = part.step % kSteps * kStepBlocks + first;
    const std::uint8_t* super = superblock(part.step);
    __m512 d[kCount];
    __m512 m[kCount];
    for (int i = 0; i < kCount; ++i) {
      d[i] = load_scales<kFormat>(super + layout.d + (block + i) * d_bytes(kFormat));
      if constexpr (has_minimum(kFormat)) m[i] = load_halves(super + layout.m + (block + i) * 32);
    }
    for_each_row(
        part, [&](int row, int in_part, const ActivationSuperblock& x)
                  __attribute__((always_inline)) {
                    float* out = out_ + row * kTileOutputs;
                    __m512 sum = _mm512_loadu_ps(out);
#pragma GCC unroll 4
                    for (int i = 0; i < kCount; ++i) {
                      const __m512 scaled = _mm512_mul_ps(dots(part, first + i, in_part), d[i]);
                      sum = _mm512_fmadd_ps(scaled, _mm512_set1_ps(x.scales[block + i]), sum);
                      if constexpr (has_minimum(kFormat))
                        sum = _mm512_fmadd_ps(m[i], _mm512_set1_ps(x.scaled_sums[block + i]), sum);
                    }
                    _mm512_storeu_ps(out, sum);
                  });
  }

  const std::uint8_t* tile_;
  const AmxInput x_;
  const int rows_;
  const int blocks_;
  const std::size_t superblocks_;
  float* const out_;
  alignas(64) std::uint8_t codes_[2][kRuns * kRunSize * kTileOutputs];  // of two steps, alternating
  // For two alternating parts; each takes 1 KiB of every 2.
  alignas(64) std::int32_t dots_[kRuns][2][kAmxTileRows][kTileOutputs];
  alignas(64) float sums_[kAmxRows][kTileOutputs];  // of a K format's superblock
};

template <typename Unit>
struct AmxKernels {
  template <WeightFormat kFormat>
  struct Kernel {
    static void run(const std::uint8_t* tile, const AmxInput& x, int rows, int blocks, float* out) {
      AmxProduct<Unit, kFormat>(tile, x, rows, blocks, out).run();
    }
  };

  static AmxKernel of_format(WeightFormat format) { return kernel_of_format<Kernel>(format); }
  static void configure(WeightFormat format) {
    static constexpr TileConfig kOf16 = tile_config(16);
    static constexpr TileConfig kOf32 = tile_config(32);
    Unit::configure(run_size(format) == 16 ? kOf16 : kOf32);
  }

  // Runs only products of the largest tiles, four sums in turn: the unit's peak.
  static std::int64_t peak_macs(int turns) {
    static constexpr TileConfig kLargest = tile_config(64);
    alignas(64) std::uint8_t ones[kAmxTileRows * 64];
    __builtin_memset(ones, 1, sizeof(ones));
    Unit::configure(kLargest);
    Unit::template zero<0>();
    Unit::template zero<1>();
    Unit::template zero<2>();
    Unit::template zero<3>();
    Unit::template load<4>(ones, 64);
    Unit::template load<6>(ones, 64);
#pragma GCC unroll 1
    for (int turn = 0; turn < turns; ++turn) {
      Unit::template add_products<0, 4, 6>();
      Unit::template add_products<1, 4, 6>();
      Unit::template add_products<2, 4, 6>();
      Unit::template add_products<3, 4, 6>();
    }
    Unit::release();
    return std::int64_t{4} * kAmxTileRows * kTileOutputs * 64 * turns;
  }
};

}  // namespace
}  // namespace redraft::kernels
