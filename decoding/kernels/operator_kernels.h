#pragma once

#include <cstddef>
#include <cstdint>

// The inner loops of the transformer operators, one set for each instruction set. What splits work
// among threads and what owns memory is transformer_ops.cpp.
namespace redraft::kernels {

// Attention sums over spans of this many positions, each on its own, and then merges the spans in
// order. The spans lie at fixed positions of a path, so neither threads nor the number of rows can
// move them.
inline constexpr int kSpan = 256;
inline constexpr int kMaxGroup = 8;  // query heads of one kv head that are worked on together

// What a tile of rows reads. A row's path is positions 0..length-1; position p lies in slot p below
// `regular`, and in slot tails[tail_begin[row] + p - regular] from there on.
struct AttentionInput {
  int heads;
  int kv_heads;
  int head_dim;
  int regular;
  const float* q;
  const std::uint16_t* keys;
  const std::uint16_t* values;
  const std::int32_t* lengths;
  const std::int32_t* tails;
  const std::int32_t* tail_begin;
};

// A partial result of one (row, head): head_dim weighted sums of values, then the largest score and
// the sum of weights.
inline constexpr int kPartialExtra = 2;

// Query heads [first_head, first_head + heads) of one kv head, rows [first_row, first_row + rows).
struct AttentionTile {
  int first_row;
  int rows;
  int first_head;
  int heads;  // <= kMaxGroup
};

struct OperatorKernels {
  void (*rms_norm)(const float* x, const float* weight, float epsilon, int n, float* out);
  void (*add)(float* x, const float* y, int count);
  void (*silu_mul)(const float* gate, const float* up, int count, float* out);
  void (*to_half)(const float* x, int n, std::uint16_t* out);
  // One span for all rows of the tile whose path reaches it: partials[(row * tile.heads + head) *
  // (head_dim + 2)]. `scratch` holds attention_scratch() floats, 64-byte aligned.
  void (*attend)(const AttentionInput& in, const AttentionTile& tile, int span, float* scratch,
                 float* partials);
  // state := state and partial together; a state starts as the first span's partial.
  void (*merge)(float* state, const float* partial, int head_dim);
  void (*finish)(const float* state, int head_dim, float* out);
};

// Keys of a few positions transposed, and the scores of a tile's rows and heads over a span.
inline std::size_t attention_scratch(int rows, int head_dim) {
  return static_cast<std::size_t>(head_dim) * 16 +
         static_cast<std::size_t>(rows) * kMaxGroup * kSpan;
}

const OperatorKernels& portable_operators();
const OperatorKernels& avx2_operators();
const OperatorKernels& avx512_operators();

}  // namespace redraft::kernels
