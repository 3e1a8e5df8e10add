#pragma once

#include "cuda/device.h"
#include "cuda/linear.h"

// What the threads of a block compute together on one row. Every sum has one order, on any device.
namespace redraft::cuda {

inline constexpr int kRowThreads = 256;
inline constexpr int kRowWarps = kRowThreads / kWarp;

__device__ inline int thread() { return static_cast<int>(threadIdx.x); }

// The sum and the maximum of all threads' values. `scratch` has a float for each warp and can be
// used again when this returns.
__device__ inline float sum_of_block(float value, float* scratch) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += of_lane_across(value, distance);
  if (thread() % kWarp == 0) scratch[thread() / kWarp] = value;
  __syncthreads();
  float sum = scratch[0];
  for (int i = 1; i < kRowWarps; ++i) sum += scratch[i];
  __syncthreads();
  return sum;
}
__device__ inline float largest_of_block(float value, float* scratch) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = fmaxf(value, of_lane_across(value, distance));
  if (thread() % kWarp == 0) scratch[thread() / kWarp] = value;
  __syncthreads();
  float largest = scratch[0];
  for (int i = 1; i < kRowWarps; ++i) largest = fmaxf(largest, scratch[i]);
  __syncthreads();
  return largest;
}

// Rounds `n` floats that all threads can read to row `row` of a linear layer's input. If the block
// itself wrote them, no barrier is needed in between.
__device__ inline void round_row(const float* from, int n, std::uint16_t* values, float* scales,
                                 int row, float* scratch) {
  const int width = padded_width(n);
  auto* to = reinterpret_cast<std::uint32_t*>(values + static_cast<std::size_t>(row) *
                                                           static_cast<std::size_t>(width));
  float inverse = 1.0F;
  if (scales) {
    float largest = 0;
    __syncthreads();
    for (int i = thread(); i < n; i += kRowThreads) largest = fmaxf(largest, fabsf(from[i]));
    const float scale = row_scale(largest_of_block(largest, scratch));
    inverse = 1.0F / scale;  // exact
    if (thread() == 0) scales[row] = scale;
  } else {
    __syncthreads();
  }
  for (int i = 2 * thread(); i < width; i += 2 * kRowThreads) {
    const float low = i < n ? from[i] * inverse : 0.0F;
    const float high = i + 1 < n ? from[i + 1] * inverse : 0.0F;
    to[i / 2] = scales ? to_halves(low, high) : to_bfloats(low, high);
  }
}

}  // namespace redraft::cuda
