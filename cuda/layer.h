#pragma once

#include <cstdint>

#include "cuda/linear.h"
#include "cuda/stream.h"

// What a transformer's layer does between its linear layers, over device memory. A block of threads
// works on one row alone, so a row's bits do not depend on the other rows. Calls queue work on
// `stream` and return.
namespace redraft::cuda {

// Rows for linear layers to read, as described at Rows; `scales` is null for bfloat16.
struct RowsOut {
  std::uint16_t* values;
  float* scales;
};

// Rounds x [rows, n], with a row stride of `ldx` floats, without any other change.
void round_rows(const float* x, int ldx, int rows, int n, const RowsOut& out, Stream stream);

// out[r] = row ids[r] of the table (any packed weight) as floats, [rows, table.k].
void embedding(const Weight& table, const std::int32_t* ids, int rows, float* out, Stream stream);

// hidden[r] += added[r] (unless null), then out[r] = weight * hidden[r] / sqrt(mean(hidden[r]^2) +
// epsilon), rounded. All [rows, n].
struct AddNorm {
  float* hidden;
  const float* added;
  const float* weight;  // [n]
  float epsilon;
  int n;
};
void add_norm(const AddNorm& norm, int rows, const RowsOut& out, Stream stream);

// out = silu(gate) * up, rounded; all [rows, n], gate and up with row stride `ld` floats.
void silu_mul(const float* gate, const float* up, int ld, int rows, int n, const RowsOut& out,
              Stream stream);

// The keys and values of one layer: [kv_heads][slots][head_dim] halves each.
struct KvMemory {
  std::uint16_t* keys;
  std::uint16_t* values;
  int slots;
};

// Queries, keys and values as the linear layers wrote them, side by side in rows of (heads + 2
// kv_heads) head_dim floats. Queries and keys are normed head by head (if the norms are not null)
// and rotated (dimension i with i + head_dim / 2; positions[r] indexes the tables, [positions,
// head_dim / 2]). Keys and values of row r go to slot slots[r]; queries, times attention_scale(),
// go to `queries`, [rows, heads, head_dim] halves. Halves that would be infinite become the largest
// finite half.
struct RotateAppend {
  const float* qkv;
  int heads;
  int kv_heads;
  int head_dim;             // a multiple of 32, at most 256
  const float* query_norm;  // [head_dim] or null
  const float* key_norm;
  float epsilon;
  const float* cosines;
  const float* sines;
  const std::int32_t* positions;
  const std::int32_t* slots;
  KvMemory kv;
  std::uint16_t* queries;
};
void rotate_append(const RotateAppend& work, int rows, Stream stream);

// log2(e) / sqrt(head_dim), because attention weights are computed as powers of two.
float attention_scale(int head_dim);

}  // namespace redraft::cuda
