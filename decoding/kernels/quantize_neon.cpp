// Quantises activations, with NEON alone. The blocks are the same for every instruction set.
#include <arm_neon.h>

#include "decoding/kernels/quantize_template.h"
#include "decoding/kernels/tile_kernel.h"

namespace redraft::kernels {
namespace {

constexpr int kVectors = kBlock / 4;

// 32 activations, zeros from `count` on.
struct Values {
  float32x4_t part[kVectors];
  float largest;  // magnitude
  bool finite;
};

Values load_values(const float* x, int count) {
  float padded[kBlock] = {};
  if (count < kBlock) {
    for (int i = 0; i < count; ++i) padded[i] = x[i];
    x = padded;
  }
  Values values;
  float32x4_t largest = vdupq_n_f32(0);
  uint32x4_t finite = vdupq_n_u32(~0u);
  for (int i = 0; i < kVectors; ++i) {
    values.part[i] = vld1q_f32(x + 4 * i);
    const float32x4_t magnitude = vabsq_f32(values.part[i]);
    // |x| < infinity is false for NaN too.
    finite = vandq_u32(finite, vcltq_f32(magnitude, vdupq_n_f32(__builtin_inff())));
    largest = vmaxnmq_f32(largest, magnitude);
  }
  values.largest = vmaxnmvq_f32(largest);
  values.finite = vminvq_u32(finite) != 0;
  return values;
}

// Quantises block `block` by the range of all activations that share its scale.
void quantize_block(const Values& values, float largest, bool finite, int block,
                    ActivationSuperblock& out) {
  const bool live = finite && largest >= kMinMagnitude;
  const float32x4_t inverse = vdupq_n_f32(live ? 127.0f / largest : 0.0f);
  int sum = 0;
  for (int half = 0; half < 2; ++half) {
    int32x4_t quants[4];
    for (int i = 0; i < 4; ++i) {
      const float32x4_t scaled = vmulq_f32(values.part[4 * half + i], inverse);
      quants[i] = live ? vcvtnq_s32_f32(scaled) : vdupq_n_s32(0);
    }
    const int16x8_t low = vqmovn_high_s32(vqmovn_s32(quants[0]), quants[1]);
    const int16x8_t high = vqmovn_high_s32(vqmovn_s32(quants[2]), quants[3]);
    vst1q_s8(out.quants + block * kBlock + 16 * half, vqmovn_high_s16(vqmovn_s16(low), high));
    const int half_sum = vaddvq_s16(vaddq_s16(low, high));
    out.offsets[2 * block + half] = -32 * half_sum;
    out.sums[2 * block + half] = static_cast<std::int16_t>(half_sum);
    sum += half_sum;
  }
  out.scales[block] = finite ? largest / 127.0f : __builtin_nanf("");
  out.scaled_sums[block] = out.scales[block] * static_cast<float>(sum);
}

struct QuantizeOps {
  static Values load(const float* x, int count) { return load_values(x, count); }
  static void quantize(const Values& values, float largest, bool finite, int block,
                       ActivationSuperblock& out) {
    quantize_block(values, largest, finite, block, out);
  }
  static void coarsen_sums(ActivationSuperblock& out) {
    const float32x4_t sums[2] = {vld1q_f32(out.scaled_sums), vld1q_f32(out.scaled_sums + 4)};
    const float32x4_t a = vabsq_f32(sums[0]);
    const float32x4_t b = vabsq_f32(sums[1]);
    const float32x4_t infinity = vdupq_n_f32(__builtin_inff());
    const bool finite = vminvq_u32(vandq_u32(vcltq_f32(a, infinity), vcltq_f32(b, infinity))) != 0;
    const float largest = vmaxnmvq_f32(vmaxnmq_f32(a, b));
    const bool live = finite && largest >= kMinMagnitude;
    const float32x4_t inverse = vdupq_n_f32(live ? kMaxCoarseSum / largest : 0.0f);
    int32x4_t coarse[2];
    for (int i = 0; i < 2; ++i)
      coarse[i] = live ? vcvtnq_s32_f32(vmulq_f32(sums[i], inverse)) : vdupq_n_s32(0);
    vst1q_s16(out.coarse_sums, vqmovn_high_s32(vqmovn_s32(coarse[0]), coarse[1]));
    out.coarse_scale = finite ? largest / kMaxCoarseSum : __builtin_nanf("");
  }
};

}  // namespace

void neon_quantize(const float* x, int k, int begin, int end, ActivationSuperblock* out,
                   int stride) {
  quantize_row<QuantizeOps>(x, k, begin, end, out, stride);
}

}  // namespace redraft::kernels
