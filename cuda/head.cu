#include <cmath>

#include "cuda/block.cuh"
#include "cuda/head.h"
#include "cuda/order.cuh"

namespace redraft::cuda {
namespace {

// Each iteration finds the largest key below the previous one: k is small, and the row stays in the
// cache.
__global__ void __launch_bounds__(kRowThreads)
    top_k_row(const float* logits, int n, int k, std::int32_t* ids, float* best) {
  const auto row = static_cast<std::size_t>(blockIdx.x);
  const float* from = logits + row * static_cast<std::size_t>(n);
  auto* of_warp = reinterpret_cast<std::uint64_t*>(shared_memory());
  std::uint64_t before = ~std::uint64_t{0};
  for (int turn = 0; turn < k; ++turn) {
    std::uint64_t largest = 0;
    for (int i = thread(); i < n; i += kRowThreads) {
      const std::uint64_t key = key_of(from[i], i);
      if (key < before && key > largest) largest = key;
    }
    for (int distance = kWarp / 2; distance > 0; distance /= 2) {
      const std::uint64_t other = of_lane_across(largest, distance);
      if (other > largest) largest = other;
    }
    if (thread() % kWarp == 0) of_warp[thread() / kWarp] = largest;
    __syncthreads();
    for (int i = 0; i < kRowWarps; ++i) {
      if (of_warp[i] > largest) largest = of_warp[i];
    }
    __syncthreads();
    before = largest;
    if (thread() == 0) {
      const std::int32_t id = index_of(largest);
      ids[row * static_cast<std::size_t>(k) + static_cast<std::size_t>(turn)] = id;
      best[row * static_cast<std::size_t>(k) + static_cast<std::size_t>(turn)] = from[id];
    }
  }
}

__global__ void __launch_bounds__(kRowThreads)
    log_probability_row(const float* logits, int n, const std::int32_t* ids, float* out) {
  const auto row = static_cast<std::size_t>(blockIdx.x);
  const float* from = logits + row * static_cast<std::size_t>(n);
  auto* scratch = reinterpret_cast<float*>(shared_memory());
  float largest = -INFINITY;
  for (int i = thread(); i < n; i += kRowThreads) largest = fmaxf(largest, from[i]);
  largest = largest_of_block(largest, scratch);
  float sum = 0;
  for (int i = thread(); i < n; i += kRowThreads) sum += expf(from[i] - largest);
  sum = sum_of_block(sum, scratch);
  if (thread() == 0) out[row] = from[ids[row]] - largest - logf(sum);
}

dim3 head_rows(int rows) { return dim3{static_cast<unsigned>(rows), 1, 1}; }

}  // namespace

void top_k(const float* logits, int rows, int n, int k, std::int32_t* ids, float* best,
           Stream stream) {
  launch(top_k_row, head_rows(rows), dim3{kRowThreads, 1, 1}, kRowWarps * sizeof(std::uint64_t),
         stream, logits, n, k, ids, best);
}

void log_probability(const float* logits, int rows, int n, const std::int32_t* ids, float* out,
                     Stream stream) {
  launch(log_probability_row, head_rows(rows), dim3{kRowThreads, 1, 1}, kRowWarps * sizeof(float),
         stream, logits, n, ids, out);
}

}  // namespace redraft::cuda
