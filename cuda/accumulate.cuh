#pragma once

#include "cuda/device.h"
#include "cuda/linear.h"
#include "cuda/open_weights.cuh"

namespace redraft::cuda {

// One strand's part of a linear layer as one warp computes it: kTiles tiles of 16 outputs by
// kRowTiles times 8 rows. `acc` is laid out as in multiply_halves().
template <WeightFormat kFormat, int kTiles, int kRowTiles>
class StrandSum {
 public:
  static constexpr int kRowsOf = kRowTiles * 8;

  // Tiles starting at `first_tile` and rows starting at `first_row`. Where there are no more, the
  // last tile or row is computed again.
  __device__ StrandSum(const Weight& weight, const Rows& x, int first_tile, int first_row, int rows)
      : lane_(static_cast<int>(threadIdx.x) % kWarp),
        chunks_(chunk_count(weight.k)),
        width_(padded_width(weight.k)) {
    const std::size_t bytes = tile_bytes(kFormat, weight.k);
    const int last_tile = tile_count(weight.n) - 1;
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      const int tile = first_tile + i < last_tile ? first_tile + i : last_tile;
      tiles_[i] = weight.data + static_cast<std::size_t>(tile) * bytes;
    }
#pragma unroll
    for (int j = 0; j < kRowTiles; ++j) {
      const int row = first_row + 8 * j + lane_ / 4;
      const int there = row < rows ? row : rows - 1;
      x_[j] = x.values + static_cast<std::size_t>(there) * static_cast<std::size_t>(width_) +
              16 * (lane_ % 4);
    }
  }

  __device__ void run(int strand) {
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
#pragma unroll
      for (int j = 0; j < kRowTiles; ++j)
        acc[i][j][0] = acc[i][j][1] = acc[i][j][2] = acc[i][j][3] = 0;
    }
    const int begin = strand * chunks_ / kStrands;
    const int end = (strand + 1) * chunks_ / kStrands;
    if (begin == end) return;
    LaneChunk<kFormat> next[kTiles];
#pragma unroll
    for (int i = 0; i < kTiles; ++i) next[i].load(tiles_[i], begin, lane_);
    for (int chunk = begin; chunk < end; ++chunk) {
      LaneChunk<kFormat> now[kTiles];
#pragma unroll
      for (int i = 0; i < kTiles; ++i) {
        now[i] = next[i];
        // Loads the last chunk once more instead of branching around the loads.
        next[i].load(tiles_[i], chunk + 1 < end ? chunk + 1 : chunk, lane_);
        now[i].prepare(lane_);
      }
      add_half_chunk<0>(now, chunk);
      add_half_chunk<1>(now, chunk);
    }
  }

  float acc[kTiles][kRowTiles][4];

 private:
  // Steps 2 kHalf and 2 kHalf + 1.
  template <int kHalf>
  __device__ void add_half_chunk(const LaneChunk<kFormat> (&now)[kTiles], int chunk) {
    uint4 x[kRowTiles];
#pragma unroll
    for (int j = 0; j < kRowTiles; ++j)
      x[j] = *reinterpret_cast<const uint4*>(x_[j] + chunk * kChunk + 8 * kHalf);
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      std::uint32_t a[4];
      now[i].step(2 * kHalf, a);
#pragma unroll
      for (int j = 0; j < kRowTiles; ++j) multiply(acc[i][j], a, x[j].x, x[j].y);
      now[i].step(2 * kHalf + 1, a);
#pragma unroll
      for (int j = 0; j < kRowTiles; ++j) multiply(acc[i][j], a, x[j].z, x[j].w);
    }
  }

  __device__ static void multiply(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                  std::uint32_t b1) {
    if constexpr (reads_bfloats(kFormat)) {
      multiply_bfloats(sum, a, b0, b1);
    } else {
      multiply_halves(sum, a, b0, b1);
    }
  }

  int lane_, chunks_, width_;
  const std::uint8_t* tiles_[kTiles];
  const std::uint16_t* x_[kRowTiles];
};

}  // namespace redraft::cuda
