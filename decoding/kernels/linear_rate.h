#pragma once

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"

namespace redraft::kernels {

// The multiply-adds per second / 10^9 of a linear layer of 4-bit weights with many rows and its
// weights in the caches: the best of some rounds, as for MachinePeak::int8_gmacs, so that the two
// can be compared. Takes about ten milliseconds.
double measure_linear_gmacs(Isa isa, ThreadPool& pool);

}  // namespace redraft::kernels
