#pragma once

#include <cstddef>
#include <cstdint>

// The inner loops of the transformer operators, one set for each instruction set.
// transformer_ops.cpp and attention.cpp divide the work among threads and own the memory.
namespace redraft::kernels {

enum class Isa;  // linear.h

// Attention sums each span of this many positions separately, and then merges the spans in order.
// The spans are at fixed positions of a path, so neither threads nor the number of rows can move
// them.
inline constexpr int kSpan = 256;
// Weighted values are summed in integers over parts of a span; the parts are then summed in floats.
inline constexpr int kSpanPart = 64;
inline constexpr int kMaxGroup = 8;  // query heads of one KV head that are computed together
inline constexpr int kRowTile = 16;  // rows that share prepared keys and values

// The constants of clamped_silu_mul(), see transformer_ops.h.
inline constexpr float kGateLimit = 7.0f;
inline constexpr float kGateSlope = 1.702f;

// The input of a tile of rows. A row's path is positions 0..length-1, of which it sees those from
// its start on; position p is in slot p below `regular`, and in slot tails[tail_begin[row] + p -
// regular] from there on, both modulo `slots`.
struct AttentionInput {
  int heads;
  int kv_heads;
  int head_dim;
  int regular;
  float scale;  // of scores
  const float* q;
  const std::int16_t* keys;  // [kv_heads][slots][head_dim + kScaleInts], as to_fixed writes them
  const std::int16_t* values;
  std::int64_t head_pitch;  // integers from one KV head's slots to the next one's
  int slots;
  const std::int32_t* starts;  // [rows], each below the row's length
  const std::int32_t* lengths;
  const std::int32_t* straight;  // [rows] how many leading positions p of the path are in slot p
  const std::int32_t* tails;
  const std::int32_t* tail_begin;
};

// A partial result of one (row, head): head_dim weighted sums of values, then the largest score and
// the sum of weights.
inline constexpr int kPartialExtra = 2;

// Query heads [first_head, first_head + heads) of one KV head, rows [first_row, first_row + rows).
struct AttentionTile {
  int first_row;
  int rows;  // <= kRowTile
  int first_head;
  int heads;  // <= kMaxGroup
};

// One row's update of a part of one head's state: see delta_rule.h. Values do not affect each
// other, so a head is computed in tiles of kDeltaTile of them, the last of which may be half as
// wide. A tile stays in the fastest cache for all rows.
inline constexpr int kDeltaTile = 32;
struct DeltaTile {
  const float* state;  // [keys, width]
  float* next;         // [keys, width]; may be `state`
  const float* query;  // [keys]
  const float* key;    // [keys]
  const float* value;  // [width]
  float decay;         // exp(g)
  float beta;
  int keys;   // even
  int width;  // kDeltaTile or half of it
};

// Some channels of one row of a convolution over time: see convolution.h.
struct ConvolutionRow {
  const float* const* inputs;  // [taps], each [channels]
  const float* weight;         // [taps, channels]
  int taps;
  int channels;
  int begin;
  int end;
};

struct OperatorKernels {
  float (*sum_squares)(const float* x, int n);
  // out = weight * x * scale
  void (*scale_by)(const float* x, const float* weight, float scale, int n, float* out);
  void (*add)(float* x, const float* y, int count);
  void (*add_scaled)(float* x, const float* y, float scale, int count);  // x += scale * y
  void (*exp_below)(const float* x, float most, int count, float* out);  // exp(x - most)
  void (*silu_mul)(const float* gate, const float* up, int count, float* out);
  void (*gelu_mul)(const float* gate, const float* up, int count, float* out);
  void (*clamped_silu_mul)(const float* gate, const float* up, int count, float* out);
  void (*sigmoid_mul)(const float* x, const float* gate, int count, float* out);
  // Writes tile.next and, if `out` is not null, what it answers to the query, [width].
  void (*delta_tile)(const DeltaTile& tile, float* out);
  // out[begin..end-1] = the sum over taps of weight[tap] * inputs[tap], the oldest first; the
  // second takes its silu.
  void (*convolve)(const ConvolutionRow& row, float* out);
  void (*convolve_silu)(const ConvolutionRow& row, float* out);
  // n integers and their scale: see fixed_point.h. n is a multiple of 16.
  void (*to_fixed)(const float* x, int n, std::int16_t* out);
  // Bytes of working memory, 64-byte aligned, that attend() needs for one tile.
  std::size_t (*attention_scratch)(int head_dim);
  // Rounds the tile's queries into `scratch`, where attend() finds them.
  void (*take_queries)(const AttentionInput& in, const AttentionTile& tile, std::uint8_t* scratch);
  // One span for all rows of the tile that see some of it: partials[(row * tile.heads + head) *
  // (head_dim + 2)].
  void (*attend)(const AttentionInput& in, const AttentionTile& tile, int span,
                 std::uint8_t* scratch, float* partials);
  // Merges a partial result into the state; a state starts as the first span's partial result.
  void (*merge)(float* state, const float* partial, int head_dim);
  // `sink` may be null: see AttentionShape::sinks.
  void (*finish)(const float* state, int head_dim, const float* sink, float* out);
};

const OperatorKernels& operator_kernels(Isa isa);
const OperatorKernels& portable_operators();
const OperatorKernels& avx2_operators();
const OperatorKernels& avx512_operators();
const OperatorKernels& neon_operators();

}  // namespace redraft::kernels
