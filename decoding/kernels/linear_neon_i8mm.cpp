// Tile kernels for NEON with the matrix instructions for int8 (FEAT_I8MM), for two rows and more.
// smmla adds the products of two rows' eight activations and two outputs' eight codes to four sums,
// twice as many as sdot. The activations of two rows that it needs are in one register, because
// quantize_rows() stores them a second time in that order (see neon_kernels.h). One zip joins the
// codes of two outputs; where codes have five bits or fewer, one zip serves two opened registers.
//
// This file is compiled for these instructions: it must not instantiate inline functions that other
// files may share.
#include "decoding/kernels/neon_kernels.h"
#include "decoding/kernels/neon_peak.h"
#include "decoding/kernels/tile_kernel_neon.h"

namespace redraft::kernels {
namespace {

REDRAFT_INLINE uint8x16_t zip_words(uint8x16_t a, uint8x16_t b, int pair) {
  const uint32x4_t x = vreinterpretq_u32_u8(a);
  const uint32x4_t y = vreinterpretq_u32_u8(b);
  return vreinterpretq_u8_u32(pair == 0 ? vzip1q_u32(x, y) : vzip2q_u32(x, y));
}

// A cell is two outputs of two rows: the first row's, then the second's.
struct SmmlaDots {
  static constexpr int kRows = 2;
  static constexpr int kCells = 2;
  template <typename Vector>
  REDRAFT_INLINE static Vector of_cell(Vector four, int cell) {
    const auto twos = reinterpret_cast<int64x2_t>(four);
    return reinterpret_cast<Vector>(cell == 0 ? vzip1q_s64(twos, twos) : vzip2q_s64(twos, twos));
  }

  struct Input {
    PairedRows rows;
    int count;  // 2 * units, or one fewer: the last row is then paired with itself
    int units;
    REDRAFT_INLINE void advance() {
      rows.x += count;
      rows.quants += units * kPairQuants;
    }
    template <int kUnits>
    REDRAFT_INLINE const ActivationSuperblock& second_of(int unit) const {
      return rows.x[unit + 1 < kUnits ? 2 * unit + 1 : count - 1];
    }
  };
  template <int kUnits, typename Get>
  REDRAFT_INLINE static auto spread(const Input& in, int unit, const Get& get) {
    auto first = dup(get(in.rows.x[2 * unit]));
    auto second = dup(get(in.second_of<kUnits>(unit)));
    return reinterpret_cast<decltype(first)>(
        vzip1q_s64(reinterpret_cast<int64x2_t>(first), reinterpret_cast<int64x2_t>(second)));
  }
  template <int kUnits>
  REDRAFT_INLINE static int32x4_t offsets(const Input& in, int unit, std::ptrdiff_t block) {
    const int32x4_t all = vcombine_s32(vld1_s32(in.rows.x[2 * unit].offsets + 2 * block),
                                       vld1_s32(in.second_of<kUnits>(unit).offsets + 2 * block));
    const int32x4_t sums = vpaddq_s32(all, all);
    return vzip1q_s32(sums, sums);
  }

  // The codes of two outputs, `pair` of four, in the order of paired quants.
  template <WeightFormat kFormat>
  REDRAFT_INLINE static void open(const std::uint8_t* codes, int half, int pair,
                                  int8x16_t (&octets)[2]) {
    constexpr int kBits = code_bits(kFormat);
    uint8x16_t opened[2];
    if constexpr (kBits == 8) {
      const std::uint8_t* four = codes + 256 * half;
      REDRAFT_UNROLL
      for (int i = 0; i < 2; ++i)
        opened[i] = zip_words(load_bytes(four + 64 * i), load_bytes(four + 64 * i + 128), pair);
    } else if constexpr (kBits == 6) {
      const std::uint8_t* four = codes + 192 * half;
      const uint8x16_t a = load_bytes(four);
      const uint8x16_t b = load_bytes(four + 64);
      const uint8x16_t c = load_bytes(four + 128);
      opened[0] = vandq_u8(zip_words(a, c, pair), vdupq_n_u8(63));
      opened[1] = vandq_u8(zip_words(b, open_top_bits(a, b, c), pair), vdupq_n_u8(63));
    } else if constexpr (kBits < 4) {
      const uint8x16_t four = load_bytes(codes + 64 * half);
      const uint8x16_t low = zip_words(four, vshrq_n_u8(four, 4), pair);
      opened[0] = vandq_u8(low, vdupq_n_u8(3));
      opened[1] = vandq_u8(vshrq_n_u8(low, 2), vdupq_n_u8(3));
      if constexpr (kBits == 3) {
        const uint8x16_t bits = load_bytes(codes + 128);
        const uint8x16_t high = zip_words(bits, vshrq_n_u8(bits, 2), pair);
        opened[0] = add_top_bit<2>(opened[0], high, 4 * half);
        opened[1] = add_top_bit<2>(opened[1], high, 4 * half + 1);
      }
    } else {
      const std::uint8_t* two = codes + 128 * half;
      const uint8x16_t nibbles = zip_words(load_bytes(two), load_bytes(two + 64), pair);
      opened[0] = vandq_u8(nibbles, vdupq_n_u8(15));
      opened[1] = vshrq_n_u8(nibbles, 4);
      if constexpr (kBits == 5) {
        const uint8x16_t bits = load_bytes(codes + 256);
        const uint8x16_t high = zip_words(bits, vshrq_n_u8(bits, 2), pair);
        opened[0] = add_top_bit<4>(opened[0], high, 4 * half);
        opened[1] = add_top_bit<4>(opened[1], high, 4 * half + 1);
      }
      if constexpr (has_table(kFormat)) {
        opened[0] = look_up<kFormat>(opened[0]);
        opened[1] = look_up<kFormat>(opened[1]);
      }
    }
    octets[0] = vreinterpretq_s8_u8(opened[0]);
    octets[1] = vreinterpretq_s8_u8(opened[1]);
  }

  template <WeightFormat kFormat, int kUnits, int kFours>
  REDRAFT_INLINE static void add(const std::uint8_t* codes, int half, const Input& in,
                                 std::ptrdiff_t at, int32x4_t (*dots)[2 * kFours]) {
    int8x16_t quants[kUnits][2];
    REDRAFT_UNROLL
    for (int unit = 0; unit < kUnits; ++unit) {
      const std::int8_t* from = in.rows.quants + unit * kPairQuants + 2 * at;
      quants[unit][0] = vld1q_s8(from);
      quants[unit][1] = vld1q_s8(from + 16);
    }
    REDRAFT_UNROLL
    for (int cell = 0; cell < 2 * kFours; ++cell) {
      int8x16_t octets[2];
      open<kFormat>(codes + cell / 2 * 16, half, cell % 2, octets);
      REDRAFT_UNROLL
      for (int i = 0; i < 2; ++i) {
        REDRAFT_UNROLL
        for (int unit = 0; unit < kUnits; ++unit)
          dots[unit][cell] = vmmlaq_s32(dots[unit][cell], quants[unit][i], octets[i]);
      }
    }
  }

  // For each two outputs the minima of eight blocks.
  using OpenedMinima = uint8x16_t[2 * kEight];
  REDRAFT_INLINE static void open_minima(const std::uint8_t* mins, OpenedMinima& opened) {
    uint8x16_t halves[kEight][2];
    open_minima_of_blocks(mins, halves);
    REDRAFT_UNROLL
    for (int cell = 0; cell < 2 * kEight; ++cell)
      opened[cell] = zip_words(halves[cell / 2][0], halves[cell / 2][1], cell % 2);
  }
  template <int kUnits>
  REDRAFT_INLINE static void add_minima(const OpenedMinima& opened, const Input& in, int unit,
                                        int32x4_t (&dots)[2 * kEight]) {
    const CoarseBytes a(in.rows.x[2 * unit]);
    const CoarseBytes b(in.second_of<kUnits>(unit));
    const int8x16_t high = vcombine_s8(a.high, b.high);
    const uint8x16_t low = vcombine_u8(a.low, b.low);
    REDRAFT_UNROLL
    for (int cell = 0; cell < 2 * kEight; ++cell) {
      const int32x4_t sum = vmmlaq_s32(vdupq_n_s32(0), high, vreinterpretq_s8_u8(opened[cell]));
      const uint32x4_t shifted = vreinterpretq_u32_s32(vshlq_n_s32(sum, 8));
      dots[cell] = vreinterpretq_s32_u32(vmmlaq_u32(shifted, low, opened[cell]));
    }
  }

  template <int kUnits>
  REDRAFT_INLINE static void store(const float32x4_t (*sums)[2 * kTileOutputs / 4], const Input& in,
                                   float* out) {
    for (int unit = 0; unit < kUnits; ++unit, out += 2 * kTileOutputs) {
      const bool whole = 2 * unit + 1 < in.count;
      for (int four = 0; four < kTileOutputs / 4; ++four) {
        const float32x4_t a = sums[unit][2 * four];
        const float32x4_t b = sums[unit][2 * four + 1];
        vst1q_f32(out + 4 * four, vcombine_f32(vget_low_f32(a), vget_low_f32(b)));
        if (whole)
          vst1q_f32(out + kTileOutputs + 4 * four,
                    vcombine_f32(vget_high_f32(a), vget_high_f32(b)));
      }
    }
  }
};

template <WeightFormat kFormat>
struct QuantizedPairs {
  static void run(const std::uint8_t* tile, const PairedRows& x, int rows, int blocks, float* out) {
    switch ((rows + 1) / 2) {
      case 1:
        return add_tile<SmmlaDots, kFormat, 1>(tile, {x, rows, 1}, blocks, out);
      case 2:
        return add_tile<SmmlaDots, kFormat, 2>(tile, {x, rows, 2}, blocks, out);
      case 3:
        return add_tile<SmmlaDots, kFormat, 3>(tile, {x, rows, 3}, blocks, out);
      default:
        return add_tile<SmmlaDots, kFormat, 4>(tile, {x, rows, 4}, blocks, out);
    }
  }
};

}  // namespace

PairKernel neon_i8mm_pair_kernel(WeightFormat format) {
  return kernel_of_format<QuantizedPairs>(format);
}

std::int64_t neon_i8mm_int8_macs() {
  return peak_macs<32>(vdupq_n_s32(0), [](int32x4_t sum) {
    const int8x16_t a = vdupq_n_s8(3);
    return vmmlaq_s32(sum, a, a);
  });
}

}  // namespace redraft::kernels
