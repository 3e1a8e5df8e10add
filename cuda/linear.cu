// The grid of both kernels covers outputs by x and rows by y. linear_few has one warp for each
// strand of 16 outputs, so that even a small matrix can use the whole memory bandwidth; its strands
// are added in shared memory. linear_many has one warp for 32 outputs by 64 rows, which computes
// one strand after the other, so that what it unpacks and loads is used often.
#include "cuda/accumulate.cuh"
#include "cuda/formats.cuh"
#include "cuda/linear.h"
#include "cuda/order.cuh"

namespace redraft::cuda {
namespace {

constexpr int kFewThreads = kStrands * kWarp;
constexpr int kManyWarps = 4;
constexpr int kManyTiles = 2;     // of outputs, in a warp
constexpr int kManyRowTiles = 8;  // of 8 rows
constexpr int kFewRows = 64;
constexpr int kThreads = 256;  // per block, in the other kernels

struct Target {
  const float* bias;
  float* y;
  int ldy;
};

template <WeightFormat kFormat>
__device__ float worth(float sum, const Rows& x, int row) {
  constexpr float kScale = code_bits(kFormat) == 16 ? 1.0F : 1.0F / kWeightScale;
  return sum * ((x.scales ? x.scales[row] : 1.0F) * kScale);
}

// The strands of a block's 16 outputs by kRowTiles times 8 rows, added up in order. The result is
// in shared memory, at sums[output * rows of the block + row].
template <WeightFormat kFormat, int kRowTiles>
__device__ float* block_sums(const Weight& weight, const Rows& x, int rows) {
  using Sum = StrandSum<kFormat, 1, kRowTiles>;
  constexpr int kBlockRows = Sum::kRowsOf;
  auto* strands = reinterpret_cast<float*>(shared_memory());
  const int strand = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  Sum sum(weight, x, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y) * kBlockRows, rows);
  sum.run(strand);
  float* own = strands + strand * kTileOutputs * kBlockRows;
#pragma unroll
  for (int j = 0; j < kRowTiles; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int output = lane / 4 + 8 * (i / 2);
      own[output * kBlockRows + 8 * j + 2 * (lane % 4) + i % 2] = sum.acc[0][j][i];
    }
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kTileOutputs * kBlockRows; i += kFewThreads) {
    float total = strands[i];
#pragma unroll
    for (int s = 1; s < kStrands; ++s) total += strands[s * kTileOutputs * kBlockRows + i];
    strands[i] = total;
  }
  __syncthreads();
  return strands;
}

template <WeightFormat kFormat, int kRowTiles>
__global__ void __launch_bounds__(kFewThreads)
    linear_few(Weight weight, Rows x, int rows, Target target) {
  constexpr int kBlockRows = kRowTiles * 8;
  const float* sums = block_sums<kFormat, kRowTiles>(weight, x, rows);
  // Neighbouring threads have neighbouring outputs, which are contiguous in y.
  for (int i = static_cast<int>(threadIdx.x); i < kTileOutputs * kBlockRows; i += kFewThreads) {
    const int output = static_cast<int>(blockIdx.x) * kTileOutputs + i % kTileOutputs;
    const int row = static_cast<int>(blockIdx.y) * kBlockRows + i / kTileOutputs;
    if (output >= weight.n || row >= rows) continue;
    const float value =
        worth<kFormat>(sums[i % kTileOutputs * kBlockRows + i / kTileOutputs], x, row);
    target.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(target.ldy) + output] =
        target.bias ? value + target.bias[output] : value;
  }
}

template <WeightFormat kFormat, int kRowTiles>
__global__ void __launch_bounds__(kFewThreads)
    argmax_few(Weight weight, Rows x, int rows, std::uint64_t* keys) {
  constexpr int kBlockRows = kRowTiles * 8;
  const float* sums = block_sums<kFormat, kRowTiles>(weight, x, rows);
  const int in_block = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * kBlockRows + in_block;
  if (in_block >= kBlockRows || row >= rows) return;
  std::uint64_t best = 0;
  for (int i = 0; i < kTileOutputs; ++i) {
    const int output = static_cast<int>(blockIdx.x) * kTileOutputs + i;
    if (output >= weight.n) break;
    const std::uint64_t key =
        key_of(worth<kFormat>(sums[i * kBlockRows + in_block], x, row), output);
    if (key > best) best = key;
  }
  atomicMax(reinterpret_cast<unsigned long long*>(keys + row), best);
}

template <WeightFormat kFormat>
__global__ void __launch_bounds__(kManyWarps* kWarp)
    linear_many(Weight weight, Rows x, int rows, Target target) {
  using Sum = StrandSum<kFormat, kManyTiles, kManyRowTiles>;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int first_tile = (static_cast<int>(blockIdx.x) * kManyWarps + warp) * kManyTiles;
  const int first_row = static_cast<int>(blockIdx.y) * Sum::kRowsOf;
  Sum sum(weight, x, first_tile, first_row, rows);
  float total[kManyTiles][kManyRowTiles][4];
  for (int strand = 0; strand < kStrands; ++strand) {
    sum.run(strand);
#pragma unroll
    for (int t = 0; t < kManyTiles; ++t) {
#pragma unroll
      for (int j = 0; j < kManyRowTiles; ++j) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
          total[t][j][i] = strand == 0 ? sum.acc[t][j][i] : total[t][j][i] + sum.acc[t][j][i];
      }
    }
  }
#pragma unroll
  for (int t = 0; t < kManyTiles; ++t) {
#pragma unroll
    for (int j = 0; j < kManyRowTiles; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int output = (first_tile + t) * kTileOutputs + lane / 4 + 8 * (i / 2);
        const int row = first_row + 8 * j + 2 * (lane % 4) + i % 2;
        if (output >= weight.n || row >= rows) continue;
        const float value = worth<kFormat>(total[t][j][i], x, row);
        target.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(target.ldy) + output] =
            target.bias ? value + target.bias[output] : value;
      }
    }
  }
}

__global__ void clear_keys(std::uint64_t* keys, int rows) {
  const int row = static_cast<int>(threadIdx.x);
  for (int i = row; i < rows; i += kThreads) keys[i] = 0;
}

__global__ void take_indices(const std::uint64_t* keys, int rows, std::int32_t* best) {
  for (int i = static_cast<int>(threadIdx.x); i < rows; i += kThreads) best[i] = index_of(keys[i]);
}

constexpr unsigned blocks(int count, int each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

constexpr std::size_t few_shared_bytes(int row_tiles) {
  return static_cast<std::size_t>(kStrands * kTileOutputs * row_tiles * 8) * sizeof(float);
}

template <WeightFormat kFormat, int kRowTiles>
void launch_few(const Weight& weight, const Rows& x, int rows, const Target& target,
                Stream stream) {
  launch(linear_few<kFormat, kRowTiles>,
         dim3{blocks(weight.n, kTileOutputs), blocks(rows, 8 * kRowTiles), 1},
         dim3{kFewThreads, 1, 1}, few_shared_bytes(kRowTiles), stream, weight, x, rows, target);
}

template <WeightFormat kFormat>
void launch_linear(const Weight& weight, const Rows& x, int rows, const Target& target,
                   Stream stream) {
  if (rows <= 8) return launch_few<kFormat, 1>(weight, x, rows, target, stream);
  if (rows <= 16) return launch_few<kFormat, 2>(weight, x, rows, target, stream);
  if (rows <= 32) return launch_few<kFormat, 4>(weight, x, rows, target, stream);
  if (rows <= kFewRows) return launch_few<kFormat, 8>(weight, x, rows, target, stream);
  constexpr int kOutputs = kManyWarps * kManyTiles * kTileOutputs;
  launch(linear_many<kFormat>, dim3{blocks(weight.n, kOutputs), blocks(rows, 8 * kManyRowTiles), 1},
         dim3{kManyWarps * kWarp, 1, 1}, 0, stream, weight, x, rows, target);
}

template <WeightFormat kFormat>
void launch_argmax(const Weight& weight, const Rows& x, int rows, std::uint64_t* keys,
                   Stream stream) {
  const auto with = [&](auto kernel, int row_tiles) {
    launch(kernel, dim3{blocks(weight.n, kTileOutputs), blocks(rows, 8 * row_tiles), 1},
           dim3{kFewThreads, 1, 1}, few_shared_bytes(row_tiles), stream, weight, x, rows, keys);
  };
  if (rows <= 8) return with(argmax_few<kFormat, 1>, 1);
  if (rows <= 32) return with(argmax_few<kFormat, 4>, 4);
  with(argmax_few<kFormat, 8>, 8);
}

}  // namespace

void linear(const Weight& weight, const Rows& x, int rows, const float* bias, float* y, int ldy,
            Stream stream) {
  for_format(weight.format, [&]<WeightFormat kFormat>() {
    launch_linear<kFormat>(weight, x, rows, {bias, y, ldy}, stream);
  });
}

void linear_argmax(const Weight& weight, const Rows& x, int rows, std::uint64_t* keys,
                   std::int32_t* best, Stream stream) {
  launch(clear_keys, dim3{1, 1, 1}, dim3{kThreads, 1, 1}, 0, stream, keys, rows);
  for_format(weight.format, [&]<WeightFormat kFormat>() {
    launch_argmax<kFormat>(weight, x, rows, keys, stream);
  });
  launch(take_indices, dim3{1, 1, 1}, dim3{kThreads, 1, 1}, 0, stream, keys, rows, best);
}

}  // namespace redraft::cuda
