#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoding/kernels/convolution.h"
#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"

// The operators of a Gated DeltaNet layer (Yang, Kautz and Hatamizadeh 2024, arXiv 2412.06464), as
// Qwen3-Next and Qwen3.5 have it. Each value head has a state S, [key_dim, value_dim], that every
// token changes:
//
//   S <- exp(g) S;  u = beta (v - S'k);  S <- S + k u';  o = S'q
//
// A pass over a draft tree must not touch the committed state, and every row needs the state of its
// parent. So the rows of a draft are visited depth first, with one copy of a head's state for each
// branching that is open (delta_steps). The same function computes a row of a prompt, of a draft
// and of a replay, so its bits do not depend on which of these it is. Sums over keys run in a fixed
// order, with values in the lanes of a vector: neither other rows nor threads can change them.
namespace redraft::kernels {

struct DeltaShape {
  int key_heads = 0;    // of queries and of keys
  int value_heads = 0;  // a multiple of key_heads
  int key_dim = 0;      // a multiple of 16, as the next
  int value_dim = 0;
  int taps = 0;  // width of the convolution over time, at least 2
  // The value heads that share a key head are neighbours: head h reads key head
  // h / (value_heads / key_heads). Otherwise it reads key head h % key_heads.
  bool neighbours_share = false;

  int key_width() const { return key_heads * key_dim; }
  int value_width() const { return value_heads * value_dim; }
  // Queries, keys and values, which are convolved together.
  int channels() const { return 2 * key_width() + value_width(); }
  ConvolutionShape convolution() const {
    return {.channels = channels(), .taps = taps, .activated = true};
  }
  int key_head_of(int value_head) const {
    return neighbours_share ? value_head / (value_heads / key_heads) : value_head % key_heads;
  }
  // Where a head's state has a number: in tiles of values (operator_kernels.h).
  std::size_t state_index(int key, int value) const;
  std::size_t head_floats() const { return std::size_t(key_dim) * std::size_t(value_dim); }
  std::size_t state_floats() const { return std::size_t(value_heads) * head_floats(); }
};

// One row's update: reads the state at level `from` and writes the new one at level `to`.
struct DeltaStep {
  static constexpr int kCommitted = -1;
  int row;
  int from;
  int to;
};
// An order of steps that visits every row after its parent. The chain changes the committed state;
// drafts leave it alone, and a node whose parent has no other child left works in its parent's
// level. `levels` is how many levels there are, below the committed state.
struct DeltaSteps {
  std::vector<DeltaStep> steps;
  int levels = 0;
};
DeltaSteps delta_steps(const TreeRows& rows);

struct DeltaWeights {
  const float* decay;       // [value_heads], negative: -exp(A_log)
  const float* decay_bias;  // [value_heads]
  const float* norm;        // [value_dim]
  float epsilon;            // of the norm
};
// The inputs of a layer's rows.
struct DeltaInputs {
  const float* convolved;  // [rows, channels]: queries, keys, values
  const float* alpha;      // [rows, value_heads]: decays by decay * softplus(alpha + decay_bias)
  const float* beta;       // [rows, value_heads]: how much is replaced, before the sigmoid
  const float* gate;       // [rows, value_width]
};
// Runs the steps: `state` [value_heads, head_floats()] is the committed state. out [rows,
// value_width] = norm(o) * silu(gate); null: only the state is wanted, and inputs.gate is not read.
// Threads divide heads, never a head's sums.
void delta_rule(Isa isa, const DeltaShape& shape, const DeltaWeights& weights,
                const DeltaSteps& steps, const DeltaInputs& inputs, float* state, float* out,
                ThreadPool& pool);

// Splits rows of heads, each a query followed by its gate: x [rows, heads, 2, head_dim] to query
// and gate, [rows, heads * head_dim].
void split_gated_query(const float* x, int rows, int heads, int head_dim, float* query, float* gate,
                       ThreadPool& pool);
// x = x * sigmoid(gate); both [rows, n].
void gate_by_sigmoid(Isa isa, float* x, const float* gate, int rows, int n, ThreadPool& pool);
// y[r] += x[r] * sigmoid(gate[r]); x, y [rows, n], gate [rows]. For an expert that every row
// goes to.
void add_gated_rows(Isa isa, const float* x, const float* gate, int rows, int n, float* y,
                    ThreadPool& pool);

}  // namespace redraft::kernels
