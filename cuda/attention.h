#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/layer.h"
#include "cuda/stream.h"

// Attention of the rows of one pass over a cache, each row over the positions of its own path, in
// path order: a row of a tree and the same row of a chain have the same bits.
namespace redraft::cuda {

// Positions that are worked on together; partial results are then merged in order. Where the spans
// lie depends on positions alone.
inline constexpr int kSpan = 256;

// What rows see. Position p of row r's path lies in slot p below straight[r], and in slot
// tails[tail_begin[r] + p - straight[r]] from there up to lengths[r]. Device memory.
struct Paths {
  const std::int32_t* lengths;
  const std::int32_t* straight;
  const std::int32_t* tails;
  const std::int32_t* tail_begin;
};

struct Attention {
  const std::uint16_t* queries;  // as rotate_append() leaves them
  KvMemory kv;
  int heads;
  int kv_heads;  // at most 16 query heads for each
  int head_dim;  // 64, 96 or 128
  Paths paths;
};
// Whether attention() takes heads of this kind.
constexpr bool takes_heads(int heads, int kv_heads, int head_dim) {
  return (head_dim == 64 || head_dim == 96 || head_dim == 128) && heads % kv_heads == 0 &&
         heads / kv_heads <= 16;
}

// Bytes of scratch for `rows` rows whose paths have `longest` positions at most.
std::size_t attention_scratch_bytes(const Attention& attention, int rows, int longest);

// The weighted sums of values of all heads, [heads * head_dim] a row, rounded for a linear to read.
// No path is longer than `longest`. `scratch` is 16-byte aligned.
void attention(const Attention& attention, int rows, int longest, float* scratch,
               const RowsOut& out, Stream stream);

}  // namespace redraft::cuda
