#pragma once

#include <bit>
#include <cstdint>

#include "cuda/stream.h"
#include "cuda/weight_layout.h"

// Linear layers of quantised and 16-bit weights over device memory. All calls queue work on
// `stream` and return.
//
// There is one order of summation for every number of rows. The chunks of k of each output are
// divided into kStrands runs; strand s is chunks [s * chunks / 8, (s + 1) * chunks / 8). Within a
// strand the sum is one chain of matrix instructions of depth 16; the strands are then added in
// order. So a row's bits depend neither on the other rows nor on which kernel computes it.
//
// Weights are unpacked in registers. Quantised weights become halves, multiplied by 64 so that
// small scales stay normal numbers; 16-bit weights are used as they are.
namespace redraft::cuda {

inline constexpr int kStrands = 8;

// W [n, k], packed by pack_tile; device memory, not owned, 16-byte aligned.
struct Weight {
  WeightFormat format;
  int n;
  int k;
  const std::uint8_t* data;
};

// Whether a weight's input is rounded to bfloat16; otherwise to half precision.
constexpr bool reads_bfloats(WeightFormat format) { return format == WeightFormat::kBF16; }

// Rows as linear layers read them, [rows, padded_width(k)] of two bytes, with zeros past k. 16-byte
// aligned. Row r represents scales[r] * values, where the scale is a power of two that keeps the
// values within half precision; if `scales` is null, just the values.
struct Rows {
  const std::uint16_t* values;
  const float* scales;
};
constexpr int padded_width(int k) { return chunk_count(k) * kChunk; }

// The scale of a row whose largest magnitude is `largest`: the power of two at or below it.
constexpr float row_scale(float largest) {
  const std::uint32_t power = std::bit_cast<std::uint32_t>(largest) & 0x7f800000u;
  return power == 0 || power == 0x7f800000u ? 1.0F : std::bit_cast<float>(power);
}

// y[r, j] = dot(x[r], W[j]) + (bias ? bias[j] : 0), row stride `ldy` floats; rows >= 1.
void linear(const Weight& weight, const Rows& x, int rows, const float* bias, float* y, int ldy,
            Stream stream);
// best[r] = the index of the largest dot product of row r; ties go to the lower index, NaN never
// wins. `keys` is scratch memory of [rows].
void linear_argmax(const Weight& weight, const Rows& x, int rows, std::uint64_t* keys,
                   std::int32_t* best, Stream stream);

}  // namespace redraft::cuda
