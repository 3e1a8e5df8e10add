#include "decoding/kernels/machine_peak.h"

#include <gtest/gtest.h>

namespace redraft::kernels {
namespace {

TEST(MachinePeak, MeasuresSomethingOnEveryInstructionSet) {
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    const MachinePeak peak = measure_machine_peak(isa, pool, std::size_t{8} << 20);
    EXPECT_GT(peak.int8_gmacs, 0.05) << to_string(isa);
    EXPECT_LT(peak.int8_gmacs, 1e6) << to_string(isa);
    EXPECT_GT(peak.bandwidth_gbps, 0.05) << to_string(isa);
    EXPECT_LT(peak.bandwidth_gbps, 1e5) << to_string(isa);
  }
}

}  // namespace
}  // namespace redraft::kernels
