// Tile kernels for NEON with the dot-product instructions (FEAT_DotProd): sdot adds the products of
// four codes and four activations to each of four sums. The activations are a lane of a register,
// which holds those of four groups, so that they need no broadcast: with eight rows, 8 of 9 vector
// instructions are sdot where codes take one to open.
//
// This file is compiled for dot products: it must not instantiate inline functions that other files
// may share.
#include "decoding/kernels/neon_peak.h"
#include "decoding/kernels/tile_kernel_neon.h"

namespace redraft::kernels {
namespace {

// A cell is four outputs of a row.
struct SdotDots {
  static constexpr int kRows = 1;
  static constexpr int kCells = 1;
  template <typename Vector>
  REDRAFT_INLINE static Vector of_cell(Vector four, int) {
    return four;
  }

  struct Input {
    const ActivationSuperblock* x;
    int rows;
    REDRAFT_INLINE void advance() { x += rows; }
  };
  template <int, typename Get>
  REDRAFT_INLINE static auto spread(const Input& in, int unit, const Get& get) {
    return dup(get(in.x[unit]));
  }
  template <int>
  REDRAFT_INLINE static int32x4_t offsets(const Input& in, int unit, std::ptrdiff_t block) {
    const int32x2_t both = vld1_s32(in.x[unit].offsets + 2 * block);
    const int32x4_t twice = vcombine_s32(both, both);
    return vpaddq_s32(twice, twice);
  }

  // Four groups of codes of four outputs.
  template <WeightFormat kFormat>
  REDRAFT_INLINE static void open(const std::uint8_t* codes, int half, int8x16_t (&groups)[4]) {
    constexpr int kBits = code_bits(kFormat);
    uint8x16_t opened[4];
    if constexpr (kBits == 8) {
      REDRAFT_UNROLL
      for (int i = 0; i < 4; ++i) opened[i] = load_bytes(codes + 256 * half + 64 * i);
    } else if constexpr (kBits == 6) {
      const std::uint8_t* four = codes + 192 * half;
      REDRAFT_UNROLL
      for (int i = 0; i < 3; ++i) opened[i] = load_bytes(four + 64 * i);
      opened[3] = open_top_bits(opened[0], opened[1], opened[2]);
      REDRAFT_UNROLL
      for (int i = 0; i < 3; ++i) opened[i] = vandq_u8(opened[i], vdupq_n_u8(63));
    } else if constexpr (kBits < 4) {
      const uint8x16_t four = load_bytes(codes + 64 * half);
      REDRAFT_UNROLL
      for (int i = 0; i < 4; ++i) {
        opened[i] = vandq_u8(four >> (2 * i), vdupq_n_u8(3));
        if constexpr (kBits == 3)
          opened[i] = add_top_bit<2>(opened[i], load_bytes(codes + 128), 4 * half + i);
      }
    } else {
      REDRAFT_UNROLL
      for (int i = 0; i < 4; ++i) {
        const uint8x16_t two = load_bytes(codes + 128 * half + i / 2 * 64);
        opened[i] = i % 2 == 0 ? vandq_u8(two, vdupq_n_u8(15)) : vshrq_n_u8(two, 4);
        if constexpr (kBits == 5)
          opened[i] = add_top_bit<4>(opened[i], load_bytes(codes + 256), 4 * half + i);
        if constexpr (has_table(kFormat)) opened[i] = look_up<kFormat>(opened[i]);
      }
    }
    REDRAFT_UNROLL
    for (int i = 0; i < 4; ++i) groups[i] = vreinterpretq_s8_u8(opened[i]);
  }

  template <WeightFormat kFormat, int kUnits, int kFours>
  REDRAFT_INLINE static void add(const std::uint8_t* codes, int half, const Input& in,
                                 std::ptrdiff_t at, int32x4_t (*dots)[kFours]) {
    int8x16_t quants[kUnits];
    REDRAFT_UNROLL
    for (int row = 0; row < kUnits; ++row) quants[row] = vld1q_s8(in.x[row].quants + at);
    REDRAFT_UNROLL
    for (int four = 0; four < kFours; ++four) {
      int8x16_t groups[4];
      open<kFormat>(codes + 16 * four, half, groups);
      REDRAFT_UNROLL
      for (int row = 0; row < kUnits; ++row)
        dots[row][four] = vdotq_laneq_s32(dots[row][four], groups[0], quants[row], 0);
      REDRAFT_UNROLL
      for (int row = 0; row < kUnits; ++row)
        dots[row][four] = vdotq_laneq_s32(dots[row][four], groups[1], quants[row], 1);
      REDRAFT_UNROLL
      for (int row = 0; row < kUnits; ++row)
        dots[row][four] = vdotq_laneq_s32(dots[row][four], groups[2], quants[row], 2);
      REDRAFT_UNROLL
      for (int row = 0; row < kUnits; ++row)
        dots[row][four] = vdotq_laneq_s32(dots[row][four], groups[3], quants[row], 3);
    }
  }

  // For each four outputs the minima of four blocks, and of the other four.
  using OpenedMinima = uint8x16_t[kEight][2];
  REDRAFT_INLINE static void open_minima(const std::uint8_t* mins, OpenedMinima& opened) {
    open_minima_of_blocks(mins, opened);
  }
  template <int>
  REDRAFT_INLINE static void add_minima(const OpenedMinima& opened, const Input& in, int unit,
                                        int32x4_t (&dots)[kEight]) {
    const CoarseBytes sums(in.x[unit]);
    REDRAFT_UNROLL
    for (int four = 0; four < kEight; ++four) {
      const uint8x16_t* mins = opened[four];
      int32x4_t high = vdotq_lane_s32(vdupq_n_s32(0), vreinterpretq_s8_u8(mins[0]), sums.high, 0);
      high = vdotq_lane_s32(high, vreinterpretq_s8_u8(mins[1]), sums.high, 1);
      uint32x4_t all = vreinterpretq_u32_s32(vshlq_n_s32(high, 8));
      all = vdotq_lane_u32(all, mins[0], sums.low, 0);
      all = vdotq_lane_u32(all, mins[1], sums.low, 1);
      dots[four] = vreinterpretq_s32_u32(all);
    }
  }

  template <int kUnits>
  REDRAFT_INLINE static void store(const float32x4_t (*sums)[kTileOutputs / 4], const Input&,
                                   float* out) {
    for (int row = 0; row < kUnits; ++row) {
      for (int four = 0; four < kTileOutputs / 4; ++four)
        vst1q_f32(out + row * kTileOutputs + 4 * four, sums[row][four]);
    }
  }
};

template <WeightFormat kFormat, int kRows>
struct QuantizedRows {
  static void run(const std::uint8_t* tile, const ActivationSuperblock* x, int blocks, float* out) {
    add_tile<SdotDots, kFormat, kRows>(tile, {x, kRows}, blocks, out);
  }
};

}  // namespace

TileKernel neon_dotprod_tile_kernel(WeightFormat format) {
  return kernel_of_format<AnyRows<QuantizedRows>::Kernel>(format);
}

std::int64_t neon_dotprod_int8_macs() {
  return peak_macs<16>(vdupq_n_s32(0), [](int32x4_t sum) {
    const int8x16_t a = vdupq_n_s8(3);
    return vdotq_laneq_s32(sum, a, a, 0);
  });
}

}  // namespace redraft::kernels
