#pragma once

#include "cuda/device.h"
#include "cuda/weight_layout.h"

// A lane's share of a packed chunk, from memory to the left operand of matrix instructions. See
// weight_layout.h for the layout.
namespace redraft::cuda {

// Factor of quantised weights when they are unpacked.
inline constexpr float kWeightScale = 64.0F;

template <WeightFormat kFormat>
class LaneChunk {
 public:
  // Loads without using the values yet, so that the lane does not wait for the memory.
  __device__ void load(const std::uint8_t* tile, int chunk, int lane) {
    const std::uint8_t* from = tile + chunk_offset(kFormat, chunk);
#pragma unroll
    for (int i = 0; i < kVectors; ++i)
      codes_[i] = stream_in(reinterpret_cast<const uint4*>(from) + i * kWarp + lane);
    if constexpr (kBits == 5)
      more_[0] = reinterpret_cast<const std::uint32_t*>(from + kWarp * 16)[lane];
    if constexpr (kBits == 6) {
      const uint2 two = reinterpret_cast<const uint2*>(from + kWarp * 16)[lane];
      more_[0] = two.x;
      more_[1] = two.y;
    }
    if constexpr (kBits < 16) load_scales(tile, from + code_bytes(kFormat), chunk, lane);
  }

  // Must be called after load() and before step().
  __device__ void prepare(int lane) {
    if constexpr (kBits < 16) {
      const int t = lane % 4;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float2 line = line_of(i, t);
        scale_[i] = to_halves(line.x * kWeightScale, line.x * kWeightScale);
        addend_[i] = to_halves(line.y * kWeightScale, line.y * kWeightScale);
      }
    }
  }

  // The left operand for step `step` of the chunk; the step is a compile-time constant.
  __device__ void step(int step, std::uint32_t (&a)[4]) const {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      if constexpr (kBits == 16) {
        a[part] = word(4 * step + part);
      } else {
        // (1024 + code) exactly, minus (1024 + middle), times scale.
        const std::uint32_t code = add_halves(code_pair(step, part), kMinusMiddle);
        a[part] = fma_halves(code, scale_[part % 2], addend_[part % 2]);
      }
    }
  }

  // One weight as its format defines it, in single precision: of output g + 8 `second`, number
  // `index` (0 to 15) of the lane's k in the chunk.
  __device__ float value(int second, int index, int lane) const {
    const int step = index / 4, part = second + 2 * (index % 4 / 2), shift = index % 2 * 16;
    if constexpr (kFormat == WeightFormat::kF16) {
      return low_half(word(4 * step + part) >> shift);
    } else if constexpr (kFormat == WeightFormat::kBF16) {
      return low_bfloat(word(4 * step + part) >> shift);
    } else {
      const auto code = static_cast<int>(code_pair(step, part) >> shift & 1023) - kMiddle;
      const float2 line = line_of(second, lane % 4);
      return line.x * static_cast<float>(code) + line.y;
    }
  }

 private:
  static constexpr int kBits = code_bits(kFormat);
  static constexpr int kVectors = kBits == 16 ? 4 : kBits == 8 ? 2 : 1;
  static constexpr bool kHasAddend =
      kFormat == WeightFormat::kQ4_1 || kFormat == WeightFormat::kQ5_1;
  static constexpr std::uint32_t kThousand = 0x64006400;  // two halves of 1024
  // The code that represents zero.
  static constexpr int kMiddle = kFormat == WeightFormat::kQ4_0   ? 8
                                 : kFormat == WeightFormat::kQ5_0 ? 16
                                 : kFormat == WeightFormat::kQ6_K ? 32
                                 : kFormat == WeightFormat::kQ8_0 ? 128
                                                                  : 0;
  // -(1024 + middle) as two halves: from 1024 on, the spacing of halves is 1.
  static constexpr std::uint32_t kMinusMiddle = (0xe400 + kMiddle) * 0x00010001u;

  // Scale and offset of output g + 8 i: a weight is a linear function of its code.
  __device__ float2 line_of(int i, int t) const {
    if constexpr (kFormat == WeightFormat::kQ6_K) {
      const auto code = static_cast<std::int8_t>(scales_[i] >> (8 * t));
      return {low_half(head_[i]) * static_cast<float>(code), 0.0F};
    } else if constexpr (is_k_format(kFormat)) {
      const std::uint32_t codes = scales_[i] >> (16 * (t / 2));
      return {low_half(head_[i]) * static_cast<float>(codes & 255),
              -high_half(head_[i]) * static_cast<float>(codes >> 8 & 255)};
    } else {
      return {t < 2 ? low_half(scales_[i]) : high_half(scales_[i]), !kHasAddend ? 0.0F
                                                                    : t < 2     ? low_half(head_[i])
                                                                            : high_half(head_[i])};
    }
  }

  __device__ void load_scales(const std::uint8_t* tile, const std::uint8_t* scales, int chunk,
                              int lane) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int output = lane / 4 + 8 * i;
      scales_[i] = reinterpret_cast<const std::uint32_t*>(scales)[output];
      if constexpr (kHasAddend)
        head_[i] = reinterpret_cast<const std::uint32_t*>(scales)[kTileOutputs + output];
      if constexpr (is_k_format(kFormat)) {
        const std::uint8_t* head = tile + superblock_offset(kFormat, chunk);
        if constexpr (kFormat == WeightFormat::kQ6_K) {
          head_[i] = reinterpret_cast<const std::uint16_t*>(head)[output];
        } else {
          head_[i] = reinterpret_cast<const std::uint32_t*>(head)[output];
        }
      }
    }
  }

  // Words are selected at compile time, because `index` is a constant then.
  __device__ std::uint32_t word(int index) const {
    const uint4& vector = codes_[index / 4];
    switch (index % 4) {
      case 0:
        return vector.x;
      case 1:
        return vector.y;
      case 2:
        return vector.z;
      default:
        return vector.w;
    }
  }

  // Two halves, each 1024 plus the code.
  __device__ std::uint32_t code_pair(int step, int part) const {
    if constexpr (kBits == 8) {
      // Signed bytes, each plus 128.
      const std::uint32_t bytes = word(2 * step + part / 2) ^ 0x80808080u;
      return pick_bytes(bytes, kThousand, part % 2 == 0 ? 0x5150 : 0x5352);
    } else {
      std::uint32_t code = word(step) >> (4 * part) & 0x000f000fu;
      const int at = 4 * step + part;
      if constexpr (kBits == 5) code |= (more_[0] >> at & 0x00010001u) << 4;
      if constexpr (kBits == 6) code |= (more_[at / 8] >> (2 * (at % 8)) & 0x00030003u) << 4;
      return code | kThousand;
    }
  }

  uint4 codes_[kVectors];
  std::uint32_t more_[2];
  std::uint32_t scales_[2];  // of outputs g and g + 8, as stored in memory
  std::uint32_t head_[2];    // d and m of a K format; m of Q4_1 and Q5_1
  std::uint32_t scale_[2];   // two equal halves
  std::uint32_t addend_[2];
};

}  // namespace redraft::cuda
