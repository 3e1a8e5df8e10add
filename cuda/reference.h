#pragma once

#include <cstdint>
#include <span>

#include "cuda/layer.h"
#include "cuda/linear.h"

// What each kernel is to compute, in plain C++ over the CPU's memory: the definition that tests on
// an emulated and on a real device compare with.
namespace redraft::cuda {

void round_rows_reference(const float* x, int ldx, int rows, int k, std::uint16_t* values,
                          float* scales);

// A result, and how far from it a device may be: by what the rounding of weights to 11 bits (8 of
// bfloat16: none) and sums in single precision can amount to.
struct Bounded {
  double value;
  double bound;
};

// One dot product of row `row` of x with output `output` of `file`, n rows of k weights as a model
// file has them, and the bias if there is one.
Bounded linear_reference(WeightFormat format, int k, const std::uint8_t* file, int output,
                         const Rows& x, int row, const float* bias);

// weight * x / rms(x) of one row; [n].
void norm_reference(const float* x, const float* weight, float epsilon, int n, double* out);

double silu_mul_reference(float gate, float up);

// One head as rotate_append() leaves it, before it is rounded: normed unless `norm` is null,
// rotated by the angles of one position unless `cosines` is null, times `factor`.
void rotate_reference(const float* head, int head_dim, const float* norm, float epsilon,
                      const float* cosines, const float* sines, double factor, double* out);

// Head `head` of a row's attention in double precision, `values[d]` being its dimension d: over
// slots[0..] of a cache as rotate_append() fills it.
void attention_reference(const std::uint16_t* query, const KvMemory& kv, int kv_head, int head_dim,
                         std::span<const std::int32_t> slots, double* values);

}  // namespace redraft::cuda
