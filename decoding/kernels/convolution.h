#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"

// The convolutions over time of the recurrent layers of hybrids: every channel by itself, over the
// last few rows of a row's own path. Their state is what was convolved last, taps - 1 columns.
// Channels are in the lanes of a vector and taps are added in a fixed order, so a row has the same
// bits whatever else is in its pass.
namespace redraft::kernels {

struct ConvolutionShape {
  int channels = 0;
  int taps = 0;            // width over time, at least 2
  bool activated = false;  // silu follows

  int saved_columns() const { return taps - 1; }
  std::size_t column_floats() const { return std::size_t(saved_columns()) * std::size_t(channels); }
};

// Rows 0..context-1 are a chain. Row context + i is node i of a draft; its parent is parents[i]
// (-1: the last row of the chain, or what is committed if context is 0).
struct TreeRows {
  int context = 0;
  std::span<const std::int32_t> parents = {};
  int count() const { return context + static_cast<int>(parents.size()); }
};

// out[r] = the sum over taps of weight[tap] * the input that many rows back; mixed and out [rows,
// channels], weight [taps, channels], columns [taps - 1, channels]: the committed inputs before the
// pass, the oldest first (zeros before the beginning). A draft's rows look back along their own
// path.
void causal_convolution(Isa isa, const ConvolutionShape& shape, const float* weight,
                        const TreeRows& rows, const float* columns, const float* mixed, float* out,
                        ThreadPool& pool);
// The columns after the given rows have been read, one after the other; in place.
void advance_columns(const ConvolutionShape& shape, std::span<const float* const> rows_of_path,
                     float* columns);

// Rows of numbers within wider rows: `pitch` floats from one to the next.
struct PitchedRows {
  const float* first;
  int pitch;
};
// out = x * y, number by number; out [rows, n].
void multiply_rows(Isa isa, const PitchedRows& x, const PitchedRows& y, int rows, int n, float* out,
                   ThreadPool& pool);

}  // namespace redraft::kernels
