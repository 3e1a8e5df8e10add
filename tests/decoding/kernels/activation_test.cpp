// The activations of feed-forward blocks other than silu, and the cap of logits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decoding/kernels/transformer_ops.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

TEST(GeluMul, MatchesDouble) {
  std::mt19937 random(12);
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    const int n = 777;
    std::vector<float> gate = random_floats(n, random);
    const std::vector<float> up = random_floats(n, random);
    for (float& each : gate) each *= 9;
    gate[0] = -1000.0F;
    std::vector<float> out(gate.size());
    gelu_mul(isa, gate.data(), up.data(), 1, n, out.data(), pool);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double g = gate[i];
      const double z = std::sqrt(2 / M_PI) * (g + 0.044715 * g * g * g);
      const double expected = g / (1 + std::exp(-2 * z)) * up[i];
      ASSERT_NEAR(out[i], expected, std::fabs(expected) * 2e-5 + 1e-30)
          << to_string(isa) << " gate " << gate[i];
    }
  }
}

TEST(CapSoftly, KeepsWithinTheCap) {
  ThreadPool pool(2);
  std::vector<float> x = {-1e9F, -30, -1, 0, 1e-3F, 1, 30, 1e9F};
  cap_softly(x.data(), 30, 2, 4, pool);
  for (const float each : x) EXPECT_LE(std::fabs(each), 30);
  EXPECT_EQ(x[0], -30);
  EXPECT_NEAR(x[2], -30 * std::tanh(1.0 / 30), 1e-6);
  EXPECT_EQ(x[3], 0);
  EXPECT_NEAR(x[6], 30 * std::tanh(1.0), 1e-5);
}

TEST(ClampedSiluMul, MatchesDouble) {
  std::mt19937 random(11);
  ThreadPool pool(2);
  for (const Isa isa : available_isas()) {
    const int n = 777;
    std::vector<float> gate = random_floats(n, random);
    std::vector<float> up = random_floats(n, random);
    for (float& each : gate) each *= 20;
    for (float& each : up) each *= 20;
    gate[3] = std::nanf("");
    up[4] = std::nanf("");
    std::vector<float> out(gate.size());
    clamped_silu_mul(isa, gate.data(), up.data(), 1, n, out.data(), pool);
    EXPECT_TRUE(std::isnan(out[3]) && std::isnan(out[4])) << to_string(isa);
    for (std::size_t i = 5; i < out.size(); ++i) {
      const double g = std::min(double{gate[i]}, 7.0);
      const double expected =
          (std::clamp(double{up[i]}, -7.0, 7.0) + 1) * g / (1 + std::exp(-1.702 * g));
      ASSERT_NEAR(out[i], expected, std::fabs(expected) * 4e-6 + 1e-30)
          << to_string(isa) << " gate " << gate[i];
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
