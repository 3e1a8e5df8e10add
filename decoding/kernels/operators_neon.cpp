// The transformer operators for NEON, with the 8 lanes of AVX2 in two registers each: sums are
// added up in the same order and have the same bits.
#include <arm_neon.h>

#include "decoding/kernels/attention_template.h"
#include "decoding/kernels/neon_peak.h"

namespace redraft::kernels {
namespace {

struct TwoFours {
  static constexpr int kLanes = 8;
  static constexpr int kQueries = 3;  // 24 registers of sums, in 32
  struct Float {
    float32x4_t low, high;
  };
  struct Int {  // pairs of 16 bits
    int16x8_t low, high;
  };
  // A product of pairs is the sum of two lanes; they are added up at the end.
  struct Sum {
    int32x4_t twos[4];
  };

  static Float load(const float* p) { return {vld1q_f32(p), vld1q_f32(p + 4)}; }
  static void store(float* p, Float a) {
    vst1q_f32(p, a.low);
    vst1q_f32(p + 4, a.high);
  }
  static void store_fixed(std::int16_t* p, Float a) {
    const int16x4_t low = vqmovn_s32(vcvtnq_s32_f32(a.low));
    vst1q_s16(p, vqmovn_high_s32(low, vcvtnq_s32_f32(a.high)));
  }
  static Float set1(float a) { return {vdupq_n_f32(a), vdupq_n_f32(a)}; }
  static Float add(Float a, Float b) {
    return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
  }
  static Float sub(Float a, Float b) {
    return {vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
  }
  static Float mul(Float a, Float b) {
    return {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
  }
  static Float div(Float a, Float b) {
    return {vdivq_f32(a.low, b.low), vdivq_f32(a.high, b.high)};
  }
  static Float fma(Float a, Float b, Float c) {
    return {vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high)};
  }
  static Float min(Float a, Float b) {
    return {vminq_f32(a.low, b.low), vminq_f32(a.high, b.high)};
  }
  static Float max(Float a, Float b) {
    return {vmaxq_f32(a.low, b.low), vmaxq_f32(a.high, b.high)};
  }
  static Float round(Float a) { return {vrndnq_f32(a.low), vrndnq_f32(a.high)}; }
  // |n| <= 127: a normal power of two, constructed from its exponent.
  static Float scale_by_power_of_2(Float a, Float n) {
    const auto power = [](float32x4_t exponent) {
      const int32x4_t biased = vaddq_s32(vcvtnq_s32_f32(exponent), vdupq_n_s32(127));
      return vreinterpretq_f32_s32(vshlq_n_s32(biased, 23));
    };
    return mul(a, {power(n.low), power(n.high)});
  }
  static float sum(Float a) {
    const float32x4_t four = vaddq_f32(a.low, a.high);
    return vpadds_f32(vadd_f32(vget_low_f32(four), vget_high_f32(four)));
  }
  static float largest(Float a) { return vmaxvq_f32(vmaxq_f32(a.low, a.high)); }

  static Sum zero() {
    const int32x4_t none = vdupq_n_s32(0);
    return {{none, none, none, none}};
  }
  static Int load_int(const std::int32_t* p) {
    return {vreinterpretq_s16_s32(vld1q_s32(p)), vreinterpretq_s16_s32(vld1q_s32(p + 4))};
  }
  static Int pair(const std::int16_t* p) {
    std::int32_t both;
    __builtin_memcpy(&both, p, sizeof(both));
    const int16x8_t pairs = vreinterpretq_s16_s32(vdupq_n_s32(both));
    return {pairs, pairs};
  }
  static Sum dot_pairs(Sum sum, Int a, Int b) {
    return {{vmlal_s16(sum.twos[0], vget_low_s16(a.low), vget_low_s16(b.low)),
             vmlal_high_s16(sum.twos[1], a.low, b.low),
             vmlal_s16(sum.twos[2], vget_low_s16(a.high), vget_low_s16(b.high)),
             vmlal_high_s16(sum.twos[3], a.high, b.high)}};
  }
  static Float to_float(Sum a) {
    return {vcvtq_f32_s32(vpaddq_s32(a.twos[0], a.twos[1])),
            vcvtq_f32_s32(vpaddq_s32(a.twos[2], a.twos[3]))};
  }

  // out[pair] = a[i], b[i]; 8 pairs.
  static void interleave(const std::int16_t* a, const std::int16_t* b, std::int32_t* out) {
    const int16x8_t first = vld1q_s16(a);
    const int16x8_t second = vld1q_s16(b);
    vst1q_s32(out, vreinterpretq_s32_s16(vzip1q_s16(first, second)));
    vst1q_s32(out + 4, vreinterpretq_s32_s16(vzip2q_s16(first, second)));
  }

  // out[pair * 8 + lane] = the pair of pointers[lane], 4 x 4 pairs at a time.
  static void transpose(const std::int16_t* const* pointers, int dim, std::int32_t* out) {
    for (int d = 0; d < dim; d += 8, out += 4 * kLanes) {
      for (int lane = 0; lane < kLanes; lane += 4) {
        int32x4_t rows[4];
        for (int i = 0; i < 4; ++i)
          rows[i] = vreinterpretq_s32_s16(vld1q_s16(pointers[lane + i] + d));
        const int64x2_t twos[4] = {vreinterpretq_s64_s32(vtrn1q_s32(rows[0], rows[1])),
                                   vreinterpretq_s64_s32(vtrn2q_s32(rows[0], rows[1])),
                                   vreinterpretq_s64_s32(vtrn1q_s32(rows[2], rows[3])),
                                   vreinterpretq_s64_s32(vtrn2q_s32(rows[2], rows[3]))};
        for (int i = 0; i < 2; ++i) {
          std::int32_t* const to = out + i * kLanes + lane;
          vst1q_s32(to, vreinterpretq_s32_s64(vzip1q_s64(twos[i], twos[i + 2])));
          vst1q_s32(to + 2 * kLanes, vreinterpretq_s32_s64(vzip2q_s64(twos[i], twos[i + 2])));
        }
      }
    }
  }
};

}  // namespace

const OperatorKernels& neon_operators() {
  static constexpr OperatorKernels kOperators = operators_of<TwoFours>();
  return kOperators;
}

std::int64_t neon_int16_macs() {
  return peak_macs<4>(vdupq_n_s32(0), [](int32x4_t sum) {
    const int16x8_t a = vdupq_n_s16(3);
    return vmlal_high_s16(sum, a, a);
  });
}

}  // namespace redraft::kernels
