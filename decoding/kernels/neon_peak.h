#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "decoding/kernels/neon_kernels.h"

// In an unnamed namespace, because every file is compiled for other instructions and needs its own
// copy.
namespace redraft::kernels {
namespace {

// Repeats an instruction that adds to a vector of sums for about a millisecond, in more independent
// chains than any core's latency times its throughput. Returns the number of multiply-adds, `kMacs`
// for each instruction.
template <int kMacs, typename Vector, typename Add>
inline __attribute__((always_inline)) std::int64_t peak_macs(Vector zero, const Add& add) {
  constexpr int kChains = 20;
  constexpr int kSteps = 1 << 17;
  Vector sums[kChains];
#pragma GCC unroll 20
  for (Vector& sum : sums) sum = zero;
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 20
    for (Vector& sum : sums) {
      sum = add(sum);
      asm volatile(
          ""
          : "+w"(
              sum));  // looks different to the compiler, which would otherwise compute one for all
    }
  }
  return std::int64_t{kMacs} * kChains * kSteps;
}

}  // namespace
}  // namespace redraft::kernels
