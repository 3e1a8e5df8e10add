#pragma once

#include <cstdint>
#include <span>

#include "cuda/layer.h"
#include "cuda/linear.h"

// What each kernel must compute, in plain C++ over CPU memory: the definition with which tests on
// an emulated and on a real device compare.
namespace redraft::cuda {

void round_rows_reference(const float* x, int ldx, int rows, int k, std::uint16_t* values,
                          float* scales);

// A result, and how far from it a device may be: the effect of rounding weights to 11 bits
// (bfloat16: none, it keeps its 8) and of sums in single precision.
struct Bounded {
  double value;
  double bound;
};

// The dot product of row `row` of x with output `output` of `file` (n rows of k weights in the
// file's order), plus the bias if there is one.
Bounded linear_reference(WeightFormat format, int k, const std::uint8_t* file, int output,
                         const Rows& x, int row, const float* bias);

// weight * x / rms(x) of one row; [n].
void norm_reference(const float* x, const float* weight, float epsilon, int n, double* out);

double silu_mul_reference(float gate, float up);

// One head as rotate_append() writes it, before rounding: normed unless `norm` is null, rotated by
// the angles of one position unless `cosines` is null, times `factor`.
void rotate_reference(const float* head, int head_dim, const float* norm, float epsilon,
                      const float* cosines, const float* sines, double factor, double* out);

// Head `head` of a row's attention in double precision, over slots[0..] of a cache as
// rotate_append() fills it; `values[d]` is dimension d.
void attention_reference(const std::uint16_t* query, const KvMemory& kv, int kv_head, int head_dim,
                         std::span<const std::int32_t> slots, double* values);

}  // namespace redraft::cuda
