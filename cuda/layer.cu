#include <cmath>

#include "cuda/block.cuh"
#include "cuda/formats.cuh"
#include "cuda/layer.h"
#include "cuda/open_weights.cuh"

namespace redraft::cuda {
namespace {

constexpr float kMaxHalf = 65504.0F;

// One warp per chunk; the four lanes that have the output write 16 values each.
template <WeightFormat kFormat>
__global__ void gather(Weight table, const std::int32_t* ids, float* out) {
  const int row = static_cast<int>(blockIdx.x);
  const int id = ids[row];
  const int output = id % kTileOutputs;
  const std::uint8_t* tile =
      table.data + static_cast<std::size_t>(id / kTileOutputs) * tile_bytes(kFormat, table.k);
  const int lane = thread() % kWarp;
  if (lane / 4 != output % 8) return;
  float* to = out + static_cast<std::size_t>(row) * static_cast<std::size_t>(table.k);
  for (int chunk = thread() / kWarp; chunk < chunk_count(table.k); chunk += kRowWarps) {
    LaneChunk<kFormat> codes;
    codes.load(tile, chunk, lane);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const int k = chunk * kChunk + 16 * (lane % 4) + i;
      if (k < table.k) to[k] = codes.value(output / 8, i, lane);
    }
  }
}

__global__ void __launch_bounds__(kRowThreads)
    round_one_row(const float* x, int ldx, int n, std::uint16_t* values, float* scales) {
  const int row = static_cast<int>(blockIdx.x);
  round_row(x + static_cast<std::size_t>(row) * static_cast<std::size_t>(ldx), n, values, scales,
            row, reinterpret_cast<float*>(shared_memory()));
}

__global__ void __launch_bounds__(kRowThreads)
    add_norm_row(AddNorm norm, std::uint16_t* values, float* scales) {
  auto* scratch = reinterpret_cast<float*>(shared_memory());
  float* row_values = scratch + kRowWarps;
  const int row = static_cast<int>(blockIdx.x);
  const std::size_t begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(norm.n);
  float squares = 0;
  for (int i = thread(); i < norm.n; i += kRowThreads) {
    float value = norm.hidden[begin + static_cast<std::size_t>(i)];
    if (norm.added) {
      value += norm.added[begin + static_cast<std::size_t>(i)];
      norm.hidden[begin + static_cast<std::size_t>(i)] = value;
    }
    row_values[i] = value;
    squares = fmaf(value, value, squares);
  }
  const float mean = sum_of_block(squares, scratch) / static_cast<float>(norm.n);
  const float scale = 1.0F / sqrtf(mean + norm.epsilon);
  // Each thread processes its own values, so no barrier is needed.
  for (int i = thread(); i < norm.n; i += kRowThreads)
    row_values[i] = row_values[i] * scale * norm.weight[i];
  round_row(row_values, norm.n, values, scales, row, scratch);
}

__global__ void __launch_bounds__(kRowThreads)
    silu_mul_row(const float* gate, const float* up, int ld, int n, std::uint16_t* values,
                 float* scales) {
  auto* scratch = reinterpret_cast<float*>(shared_memory());
  float* row_values = scratch + kRowWarps;
  const int row = static_cast<int>(blockIdx.x);
  const std::size_t begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(ld);
  for (int i = thread(); i < n; i += kRowThreads) {
    const float x = gate[begin + static_cast<std::size_t>(i)];
    row_values[i] = x / (1.0F + expf(-x)) * up[begin + static_cast<std::size_t>(i)];
  }
  round_row(row_values, n, values, scales, row, scratch);
}

__device__ std::uint16_t to_finite_half(float value) {
  if (value > kMaxHalf) value = kMaxHalf;
  if (value < -kMaxHalf) value = -kMaxHalf;
  return static_cast<std::uint16_t>(to_halves(value, 0.0F));
}

// One warp per head of a row: first the query heads, then those of keys, then those of values.
__global__ void rotate_append_head(RotateAppend work, float scale) {
  const int row = static_cast<int>(blockIdx.x);
  const int head = static_cast<int>(blockIdx.y);
  const int lane = thread();
  const int dim = work.head_dim, half = dim / 2;
  const int all_heads = work.heads + 2 * work.kv_heads;
  const float* from =
      work.qkv + (static_cast<std::size_t>(row) * static_cast<std::size_t>(all_heads) +
                  static_cast<std::size_t>(head)) *
                     static_cast<std::size_t>(dim);
  const bool is_query = head < work.heads;
  const bool is_value = head >= work.heads + work.kv_heads;
  const float* norm = is_value ? nullptr : is_query ? work.query_norm : work.key_norm;
  float normed = 1.0F;
  if (norm) {
    float squares = 0;
    for (int i = lane; i < dim; i += kWarp) squares = fmaf(from[i], from[i], squares);
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      squares += of_lane_across(squares, distance);
    normed = 1.0F / sqrtf(squares / static_cast<float>(dim) + work.epsilon);
  }
  const int kv_head = is_value ? head - work.heads - work.kv_heads : head - work.heads;
  std::uint16_t* to =
      is_query
          ? work.queries + (static_cast<std::size_t>(row) * static_cast<std::size_t>(work.heads) +
                            static_cast<std::size_t>(head)) *
                               static_cast<std::size_t>(dim)
          : (is_value ? work.kv.values : work.kv.keys) +
                (static_cast<std::size_t>(kv_head) * static_cast<std::size_t>(work.kv.slots) +
                 static_cast<std::size_t>(work.slots[row])) *
                    static_cast<std::size_t>(dim);
  const std::size_t angle =
      static_cast<std::size_t>(work.positions[row]) * static_cast<std::size_t>(half);
  for (int i = lane; i < half; i += kWarp) {
    float low = from[i], high = from[i + half];
    if (norm) {
      low = low * normed * norm[i];
      high = high * normed * norm[i + half];
    }
    if (!is_value) {
      const float cosine = work.cosines[angle + static_cast<std::size_t>(i)];
      const float sine = work.sines[angle + static_cast<std::size_t>(i)];
      const float turned = fmaf(low, cosine, -(high * sine));
      high = fmaf(high, cosine, low * sine);
      low = turned;
    }
    const float factor = is_query ? scale : 1.0F;
    to[i] = to_finite_half(low * factor);
    to[i + half] = to_finite_half(high * factor);
  }
}

dim3 per_row(int rows) { return dim3{static_cast<unsigned>(rows), 1, 1}; }
constexpr dim3 kRowBlock{kRowThreads, 1, 1};

std::size_t row_shared_bytes(int n) {
  return static_cast<std::size_t>(kRowWarps + n) * sizeof(float);
}

}  // namespace

float attention_scale(int head_dim) {
  constexpr double kLog2E = 1.4426950408889634;
  return static_cast<float>(kLog2E / std::sqrt(static_cast<double>(head_dim)));
}

void embedding(const Weight& table, const std::int32_t* ids, int rows, float* out, Stream stream) {
  for_format(table.format, [&]<WeightFormat kFormat>() {
    launch(gather<kFormat>, per_row(rows), kRowBlock, 0, stream, table, ids, out);
  });
}

void round_rows(const float* x, int ldx, int rows, int n, const RowsOut& out, Stream stream) {
  launch(round_one_row, per_row(rows), kRowBlock, row_shared_bytes(0), stream, x, ldx, n,
         out.values, out.scales);
}

void add_norm(const AddNorm& norm, int rows, const RowsOut& out, Stream stream) {
  launch(add_norm_row, per_row(rows), kRowBlock, row_shared_bytes(norm.n), stream, norm, out.values,
         out.scales);
}

void silu_mul(const float* gate, const float* up, int ld, int rows, int n, const RowsOut& out,
              Stream stream) {
  launch(silu_mul_row, per_row(rows), kRowBlock, row_shared_bytes(n), stream, gate, up, ld, n,
         out.values, out.scales);
}

void rotate_append(const RotateAppend& work, int rows, Stream stream) {
  const dim3 grid{static_cast<unsigned>(rows),
                  static_cast<unsigned>(work.heads + 2 * work.kv_heads), 1};
  launch(rotate_append_head, grid, dim3{kWarp, 1, 1}, 0, stream, work,
         attention_scale(work.head_dim));
}

}  // namespace redraft::cuda
