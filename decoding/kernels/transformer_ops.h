#pragma once

#include <cstdint>
#include <span>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"

// The operators of a transformer layer other than the linear layers, over raw pointers. Each row's
// result depends on that row alone (attention: on its own path alone), with one order of
// accumulation whatever the number of rows or threads.
namespace redraft::kernels {

// out[r] = weight * x[r] / sqrt(mean(x[r]^2) + epsilon); x, out [rows, n]. In place is allowed.
void rms_norm(Isa isa, const float* x, const float* weight, float epsilon, int rows, int n,
              float* out, ThreadPool& pool);

// x += y; both [rows, n].
void add(Isa isa, float* x, const float* y, int rows, int n, ThreadPool& pool);

// x += factor * y; both [rows, n].
void add_scaled(Isa isa, float* x, const float* y, float factor, int rows, int n, ThreadPool& pool);

// x[r] *= factors[places[r]]; x [rows, n]. `places` is null: all by factors[0].
void scale_rows(float* x, const float* factors, const std::int32_t* places, int rows, int n,
                ThreadPool& pool);

// out = silu(gate) * up; all [rows, n]; `out` may be `gate`.
void silu_mul(Isa isa, const float* gate, const float* up, int rows, int n, float* out,
              ThreadPool& pool);

// out = (u + 1) * g / (1 + exp(-1.702 * g)), where g is `gate`, at most 7, and u is `up`, between
// -7 and 7; all [rows, n]; `out` may be `gate`. The activation of gpt-oss.
void clamped_silu_mul(Isa isa, const float* gate, const float* up, int rows, int n, float* out,
                      ThreadPool& pool);

// out = gelu(gate) * up, with the approximation of gelu by tanh; all [rows, n]; `out` may be
// `gate`.
void gelu_mul(Isa isa, const float* gate, const float* up, int rows, int n, float* out,
              ThreadPool& pool);

// x = cap * tanh(x / cap), [rows, n]: numbers near 0 hardly change, and none exceeds the cap.
void cap_softly(float* x, float cap, int rows, int n, ThreadPool& pool);

// For a mixture of experts. From the scores of all experts, [rows, n], the `used` best of each row
// in chosen, best first, ties to the lower index and NaN last, and the softmax of their scores in
// shares; both [rows, used]. used <= n.
void route(Isa isa, const float* scores, int rows, int n, int used, std::int32_t* chosen,
           float* shares, ThreadPool& pool);

// out[i] = x[sources[i]]; out [rows, n].
void gather_rows(const float* x, const std::int32_t* sources, int rows, int n, float* out,
                 ThreadPool& pool);

// out[r] = the sum over i of shares[r, i] * x[places[r, i]], in the order of i; places and shares
// [rows, count], out [rows, n], none of it in x.
void mix_rows(Isa isa, const float* x, const std::int32_t* places, const float* shares, int rows,
              int count, int n, float* out, ThreadPool& pool);

// Cosines and sines for rotary embedding (neox pairing: dimension i with i + rotated/2), each
// [positions, frequencies] and multiplied by `amplitude`. Frequencies are in radians per position.
void rope_table(int positions, std::span<const double> frequencies, double amplitude,
                float* cosines, float* sines);

// Rotates the first `rotated` dimensions of `heads` heads of x [rows, heads * head_dim] (row stride
// ldx) in place; positions[r] indexes the table.
void rope(const float* cosines, const float* sines, const std::int32_t* positions, int rows,
          int heads, int head_dim, int rotated, float* x, int ldx, ThreadPool& pool);

// Rounds rows of [heads, head_dim] floats to the format of the cache (see fixed_point.h): head h of
// row r goes to the head_dim + kScaleInts integers at out + h * head_pitch + r * (head_dim +
// kScaleInts). head_dim is a multiple of 16.
void store_fixed(Isa isa, const float* x, int rows, int heads, int head_dim, std::int16_t* out,
                 std::int64_t head_pitch, ThreadPool& pool);

// One layer's attention of `rows` queries over a cache of fixed-point keys and values.
struct AttentionShape {
  int rows;
  int heads;                // query heads
  int kv_heads;             // divides heads
  int head_dim;             // a multiple of 16
  std::int64_t head_pitch;  // of keys and of values: integers from one head's slots to the next's
  int slots;                // of keys and of values; slot s of a path is in slot s % slots
  // Every row sees slots 0..committed-1.
  int committed;
  // Rows 0..context-1 are a chain: row r also sees slots committed..committed+r (itself included).
  // Row context+i is draft node i: it sees all context slots, its ancestors' slots and its own, in
  // path order. The parent of node i is parents[i] (-1: the last context row); its slot is
  // committed + context + i.
  int context;
  const std::int32_t* parents;  // [rows - context]
  // 0, or how many positions a row sees: the last ones of its path, itself included. Those that no
  // row of the pass sees may have been overwritten.
  int window = 0;
  float scale = 0;  // of scores; 0: 1 / sqrt(head_dim)
  // Null, or a score for each query head, [heads], that takes part in the softmax without a value.
  const float* sinks = nullptr;
};
// q [rows, heads * head_dim] floats; keys, values [kv_heads][slots][head_dim + kScaleInts] as
// store_fixed writes them; out like q.
// Sums run along the path in position order, split at fixed
// positions, never in slot order, so a row of a tree has the same bits as the same row of a chain.
void attention(Isa isa, const AttentionShape& shape, const float* q, const std::int16_t* keys,
               const std::int16_t* values, float* out, ThreadPool& pool);

}  // namespace redraft::kernels
