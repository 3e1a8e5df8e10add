#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/layer.h"
#include "cuda/stream.h"

// Attention of the rows of one pass over a cache, each row over the positions of its own path, in
// path order: a row of a tree has the same bits as the same row of a chain.
namespace redraft::cuda {

// Positions are processed in spans of this size, whose partial results are then merged in order.
// Where the spans begin depends on positions alone.
inline constexpr int kSpan = 256;

// What rows see. Position p of row r's path is in slot p below straight[r], and in slot
// tails[tail_begin[r] + p - straight[r]] from there up to lengths[r]. Device memory.
struct Paths {
  const std::int32_t* lengths;
  const std::int32_t* straight;
  const std::int32_t* tails;
  const std::int32_t* tail_begin;
};

struct Attention {
  const std::uint16_t* queries;  // as rotate_append() writes them
  KvMemory kv;
  int heads;
  int kv_heads;  // at most 16 query heads per KV head
  int head_dim;  // 64, 96 or 128
  Paths paths;
};
// Whether attention() supports heads of this shape.
constexpr bool takes_heads(int heads, int kv_heads, int head_dim) {
  return (head_dim == 64 || head_dim == 96 || head_dim == 128) && heads % kv_heads == 0 &&
         heads / kv_heads <= 16;
}

// Bytes of scratch memory for `rows` rows whose paths have at most `longest` positions.
std::size_t attention_scratch_bytes(const Attention& attention, int rows, int longest);

// The weighted sums of values of all heads, [heads * head_dim] a row, rounded for a linear layer to
// read. No path is longer than `longest`. `scratch` is 16-byte aligned.
void attention(const Attention& attention, int rows, int longest, float* scratch,
               const RowsOut& out, Stream stream);

}  // namespace redraft::cuda
