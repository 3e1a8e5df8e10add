#include "cuda/device.h"
#include "cuda/device_probe.h"

namespace redraft::cuda {
namespace {

// Eight sums that do not depend on each other.
__global__ void __launch_bounds__(kProbeThreads) multiply_only(int rounds, float* out) {
  constexpr int kSums = 8;
  float sums[kSums][4] = {};
  const std::uint32_t number = 0x3c003c00u + threadIdx.x;  // halves near 1
  const std::uint32_t a[4] = {number, number + 1, number + 2, number + 3};
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kSums; ++i)  // NOLINT(modernize-loop-convert): to be unrolled
      multiply_halves(sums[i], a, number, number);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i)  // NOLINT(modernize-loop-convert): to be unrolled
    sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

}  // namespace

void multiply_rounds(int blocks, int rounds, float* out, Stream stream) {
  launch(multiply_only, dim3{static_cast<unsigned>(blocks), 1, 1}, dim3{kProbeThreads, 1, 1}, 0,
         stream, rounds, out);
}

}  // namespace redraft::cuda
