// A warp has one row, the query heads of one KV head, and one span of positions, which it takes 16
// at a time: a matrix product of queries and keys, weights, a matrix product of weights and values.
// The warps of a block have neighbouring rows, whose keys and values are mostly the same and so
// come from the cache.
#include "cuda/attention.h"
#include "cuda/block.cuh"
#include "cuda/device.h"

namespace redraft::cuda {
namespace {

constexpr int kGroup = 16;  // positions at a time, and query heads of the matrix instruction
constexpr int kAttentionWarps = 8;
constexpr float kNone = -1e30F;  // below any score, and finite

// Partial results of a row's head and span: head_dim sums, the largest score, the sum of weights.
constexpr int kPartialExtra = 2;

__device__ std::size_t partial_at(int span, int row, int rows, int head, int heads, int head_dim) {
  const auto index = (static_cast<std::size_t>(span) * static_cast<std::size_t>(rows) +
                      static_cast<std::size_t>(row)) *
                         static_cast<std::size_t>(heads) +
                     static_cast<std::size_t>(head);
  return index * static_cast<std::size_t>(head_dim + kPartialExtra);
}

template <int kDim>
class SpanOfRow {
 public:
  __device__ SpanOfRow(const Attention& of, int row, int kv_head)
      : of_(of),
        row_(row),
        group_(of.heads / of.kv_heads),
        first_head_(kv_head * group_),
        g_(thread() % kWarp / 4),
        t_(thread() % 4),
        length_(of.paths.lengths[row]),
        straight_(of.paths.straight[row]),
        tail_(of.paths.tails + of.paths.tail_begin[row]) {
    const auto strip = static_cast<std::size_t>(kv_head) * static_cast<std::size_t>(of.kv.slots) *
                       static_cast<std::size_t>(kDim);
    keys_ = of.kv.keys + strip;
    values_ = of.kv.values + strip;
  }

  __device__ void run(int span) {
    load_queries();
#pragma unroll
    for (int j = 0; j < kTiles; ++j) sums_[j][0] = sums_[j][1] = sums_[j][2] = sums_[j][3] = 0;
    largest_[0] = largest_[1] = kNone;
    weight_[0] = weight_[1] = 0;
    const int end = length_ < (span + 1) * kSpan ? length_ : (span + 1) * kSpan;
    for (int position = span * kSpan; position < end; position += kGroup) add_group(position);
  }

  __device__ void store(float* partials, int rows, int span) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      // The four lanes of a head saw different positions.
      float weight = weight_[half];
      weight += of_lane_across(weight, 1);
      weight += of_lane_across(weight, 2);
      const int head = g_ + 8 * half;
      if (head >= group_) continue;
      float* to = partials + partial_at(span, row_, rows, first_head_ + head, of_.heads, kDim);
#pragma unroll
      for (int j = 0; j < kTiles; ++j) {
        // Column c of tile j is dimension c * kTiles + j.
        to[2 * t_ * kTiles + j] = sums_[j][2 * half];
        to[(2 * t_ + 1) * kTiles + j] = sums_[j][2 * half + 1];
      }
      if (t_ == 0) {
        to[kDim] = largest_[half];
        to[kDim + 1] = weight;
      }
    }
  }

 private:
  static constexpr int kTiles = kDim / 8;   // tiles of 8 dimensions of values
  static constexpr int kLoads = kDim / 32;  // loads of 8 dimensions of a key by each of four lanes

  // The slot of position p of the path; some slot of the path for positions beyond its end.
  __device__ std::size_t slot_of(int p) const {
    if (p >= length_) p = length_ - 1;
    return static_cast<std::size_t>(p < straight_ ? p : tail_[p - straight_]);
  }

  // Dimensions in the products with keys: in load u, lane t has 32 u + 8 t .. + 7, which is two
  // steps of the matrix instruction with four dimensions each.
  __device__ void load_queries() {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int head = g_ + 8 * half;
      const std::uint16_t* from =
          of_.queries + (static_cast<std::size_t>(row_) * static_cast<std::size_t>(of_.heads) +
                         static_cast<std::size_t>(first_head_ + head)) *
                            static_cast<std::size_t>(kDim);
#pragma unroll
      for (int u = 0; u < kLoads; ++u) {
        uint4 q = {0, 0, 0, 0};
        if (head < group_) q = *reinterpret_cast<const uint4*>(from + 32 * u + 8 * t_);
        queries_[2 * u][half] = q.x;
        queries_[2 * u][2 + half] = q.y;
        queries_[2 * u + 1][half] = q.z;
        queries_[2 * u + 1][2 + half] = q.w;
      }
    }
  }

  __device__ void add_group(int position) {
    float scores[2][4];
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      scores[part][0] = scores[part][1] = scores[part][2] = scores[part][3] = 0;
      const std::uint16_t* key =
          keys_ + slot_of(position + 8 * part + g_) * static_cast<std::size_t>(kDim);
#pragma unroll
      for (int u = 0; u < kLoads; ++u) {
        const uint4 k = *reinterpret_cast<const uint4*>(key + 32 * u + 8 * t_);
        multiply_halves(scores[part], queries_[2 * u], k.x, k.y);
        multiply_halves(scores[part], queries_[2 * u + 1], k.z, k.w);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (position + 8 * part + 2 * t_ + i % 2 >= length_) scores[part][i] = kNone;
      }
    }
    std::uint32_t weights[4];
#pragma unroll
    for (int half = 0; half < 2; ++half) weigh(scores, half, weights);
    add_values(position, weights);
  }

  // Turns a head's 16 scores (four in each of four lanes) into weights, relative to the largest
  // score so far.
  __device__ void weigh(const float (&scores)[2][4], int half, std::uint32_t (&weights)[4]) {
    float most = largest_[half];
#pragma unroll
    for (int part = 0; part < 2; ++part)  // NOLINT(modernize-loop-convert): to be unrolled
      most = fmaxf(most, fmaxf(scores[part][2 * half], scores[part][2 * half + 1]));
    most = fmaxf(most, of_lane_across(most, 1));
    most = fmaxf(most, of_lane_across(most, 2));
    const float rescale = exp2f(largest_[half] - most);
    largest_[half] = most;
    weight_[half] *= rescale;
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
      sums_[j][2 * half] *= rescale;
      sums_[j][2 * half + 1] *= rescale;
    }
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const float first = exp2f(scores[part][2 * half] - most);
      const float second = exp2f(scores[part][2 * half + 1] - most);
      weights[half + 2 * part] = to_halves(first, second);
      // Adds up exactly what the values are multiplied by.
      weight_[half] += low_half(weights[half + 2 * part]);
      weight_[half] += high_half(weights[half + 2 * part]);
    }
  }

  // The rows of the right operand are positions: lane t has 2 t, 2 t + 1, 2 t + 8 and 2 t + 9. Its
  // columns are dimensions: lane g has those from g * kTiles on.
  __device__ void add_values(int position, const std::uint32_t (&weights)[4]) {
    const std::uint16_t* value[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      value[i] = values_ +
                 slot_of(position + 2 * t_ + i % 2 + 8 * (i / 2)) * static_cast<std::size_t>(kDim) +
                 g_ * kTiles;
    }
#pragma unroll
    for (int j = 0; j < kTiles; j += 4) {
      uint2 four[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) four[i] = *reinterpret_cast<const uint2*>(value[i] + j);
      add_tiles(j, four[0].x, four[1].x, four[2].x, four[3].x, weights);
      add_tiles(j + 2, four[0].y, four[1].y, four[2].y, four[3].y, weights);
    }
  }

  // Two dimensions of four positions.
  __device__ void add_tiles(int j, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                            std::uint32_t d, const std::uint32_t (&weights)[4]) {
    multiply_halves(sums_[j], weights, pick_bytes(a, b, 0x5410), pick_bytes(c, d, 0x5410));
    multiply_halves(sums_[j + 1], weights, pick_bytes(a, b, 0x7632), pick_bytes(c, d, 0x7632));
  }

  const Attention& of_;
  int row_, group_, first_head_, g_, t_, length_, straight_;
  const std::int32_t* tail_;
  const std::uint16_t* keys_;
  const std::uint16_t* values_;
  std::uint32_t queries_[kDim / 16][4];
  float sums_[kTiles][4];
  // Of heads g and g + 8.
  float largest_[2];
  float weight_[2];  // of the positions that this lane saw
};

template <int kDim>
__global__ void __launch_bounds__(kAttentionWarps* kWarp)
    attend(Attention of, int rows, float* partials) {
  const int row = static_cast<int>(blockIdx.x) * kAttentionWarps + thread() / kWarp;
  const int kv_head = static_cast<int>(blockIdx.y);
  const int span = static_cast<int>(blockIdx.z);
  if (row >= rows || of.paths.lengths[row] <= span * kSpan) return;
  SpanOfRow<kDim> work(of, row, kv_head);
  work.run(span);
  work.store(partials, rows, span);
}

// One block per row: its spans in order, one thread per dimension of a head.
__global__ void __launch_bounds__(kRowThreads)
    merge_spans(Attention of, int rows, const float* partials, std::uint16_t* values,
                float* scales) {
  auto* scratch = reinterpret_cast<float*>(shared_memory());
  float* row_values = scratch + kRowWarps;
  const int row = static_cast<int>(blockIdx.x);
  const int width = of.heads * of.head_dim;
  const int spans = (of.paths.lengths[row] + kSpan - 1) / kSpan;
  for (int i = thread(); i < width; i += kRowThreads) {
    const int head = i / of.head_dim, dimension = i % of.head_dim;
    float sum = 0, weight = 0, largest = kNone;
    for (int span = 0; span < spans; ++span) {
      const float* from = partials + partial_at(span, row, rows, head, of.heads, of.head_dim);
      const float most = fmaxf(largest, from[of.head_dim]);
      const float old = exp2f(largest - most), added = exp2f(from[of.head_dim] - most);
      sum = fmaf(from[dimension], added, sum * old);
      weight = fmaf(from[of.head_dim + 1], added, weight * old);
      largest = most;
    }
    row_values[i] = sum / weight;
  }
  round_row(row_values, width, values, scales, row, scratch);
}

int span_count(int longest) { return (longest + kSpan - 1) / kSpan; }

}  // namespace

std::size_t attention_scratch_bytes(const Attention& attention, int rows, int longest) {
  return static_cast<std::size_t>(span_count(longest)) * static_cast<std::size_t>(rows) *
         static_cast<std::size_t>(attention.heads) *
         static_cast<std::size_t>(attention.head_dim + kPartialExtra) * sizeof(float);
}

void attention(const Attention& attention, int rows, int longest, float* scratch,
               const RowsOut& out, Stream stream) {
  const dim3 grid{static_cast<unsigned>((rows + kAttentionWarps - 1) / kAttentionWarps),
                  static_cast<unsigned>(attention.kv_heads),
                  static_cast<unsigned>(span_count(longest))};
  const dim3 block{kAttentionWarps * kWarp, 1, 1};
  const auto with = [&](auto kernel) {
    launch(kernel, grid, block, 0, stream, attention, rows, scratch);
  };
  switch (attention.head_dim) {
    case 64:
      with(attend<64>);
      break;
    case 96:
      with(attend<96>);
      break;
    default:
      with(attend<128>);
      break;
  }
  const auto width = static_cast<unsigned>(attention.heads * attention.head_dim);
  launch(merge_spans, dim3{static_cast<unsigned>(rows), 1, 1}, dim3{kRowThreads, 1, 1},
         (kRowWarps + width) * sizeof(float), stream, attention, rows,
         static_cast<const float*>(scratch), out.values, out.scales);
}

}  // namespace redraft::cuda
