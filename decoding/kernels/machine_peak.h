#pragma once

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"

namespace redraft::kernels {

// The two numbers of this machine's roofline, measured now on all threads of a pool.
struct MachinePeak {
  double int8_gmacs;  // 10^9 int8 multiply-adds per second that the instruction set can do at most
  double bandwidth_gbps;  // 10^9 bytes per second of a plain read of memory
};

// Takes about a fifth of a second and `buffer_bytes` of memory; the best of several rounds, for a
// busy machine only ever makes a round slower. The buffer should be far larger than the caches.
MachinePeak measure_machine_peak(Isa isa, ThreadPool& pool,
                                 std::size_t buffer_bytes = std::size_t{256} << 20);

}  // namespace redraft::kernels
