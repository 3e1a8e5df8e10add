#include "decoding/kernels/machine_peak.h"

#include <gtest/gtest.h>

#include "decoding/kernels/linear_rate.h"

namespace redraft::kernels {
namespace {

TEST(MachinePeak, MeasuresSomethingOnEveryInstructionSet) {
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    const MachinePeak peak = measure_machine_peak(isa, pool, std::size_t{8} << 20);
    for (const double gmacs : peak.int8_gmacs) {
      EXPECT_GT(gmacs, 0.05) << to_string(isa);
      EXPECT_LT(gmacs, 1e6) << to_string(isa);
    }
    EXPECT_GT(peak.bandwidth_gbps, 0.05) << to_string(isa);
    EXPECT_LT(peak.bandwidth_gbps, 1e5) << to_string(isa);
    EXPECT_GT(peak.f32_gmacs, 0.05) << to_string(isa);
    EXPECT_LT(peak.f32_gmacs, 1e5) << to_string(isa);
    EXPECT_GE(peak.bf16_gmacs, 0) << to_string(isa);
  }
}

TEST(LinearRate, IsMeasuredOnEveryInstructionSet) {
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    const double gmacs = measure_linear_gmacs(isa, pool);
    EXPECT_GT(gmacs, 0.01) << to_string(isa);
    EXPECT_LT(gmacs, 1e6) << to_string(isa);
  }
}

TEST(PeakProbe, ThePeakOnlyEverRises) {
  ThreadPool pool(2);
  PeakProbe probe(best_isa(), pool, std::size_t{8} << 20);
  for (int round = 0; round < 5; ++round) {
    const MachinePeak before = probe.peak();
    probe.is_quiet();
    for (std::size_t i = 0; i < before.int8_gmacs.size(); ++i)
      EXPECT_GE(probe.peak().int8_gmacs[i], before.int8_gmacs[i]);
    EXPECT_GE(probe.peak().bandwidth_gbps, before.bandwidth_gbps);
  }
}

}  // namespace
}  // namespace redraft::kernels
