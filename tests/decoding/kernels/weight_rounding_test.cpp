#include "decoding/kernels/weight_rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "decoding/kernels/finite_weights.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft {
namespace {

constexpr int kColumns = 64;

std::vector<std::uint8_t> rounded(WeightFormat format, const std::vector<float>& weights) {
  std::vector<std::uint8_t> out(weight_bytes(format, 1, static_cast<std::int64_t>(weights.size())));
  quantize_row(format, weights.data(), static_cast<int>(weights.size()), out.data());
  return out;
}

std::vector<float> read_back(WeightFormat format, const std::vector<float>& weights) {
  std::vector<float> out(weights.size());
  dequantize_row(format, rounded(format, weights).data(), static_cast<int>(weights.size()),
                 out.data());
  return out;
}

TEST(WeightRounding, ChangedWeightsLeaveTheStepsThatTheyHad) {
  for (const WeightFormat stored : kernels::kAllFormats) {
    const WeightFormat held = format_of_changed(stored);
    EXPECT_TRUE(kernels::supports(held));
    EXPECT_EQ(weight_format_info(stored)->block_size % weight_format_info(held)->block_size, 0);
    const bool has_room = stored == WeightFormat::kF32 || stored == WeightFormat::kF16;
    EXPECT_EQ(held == stored, has_room) << weight_format_info(stored)->name;
  }
}

TEST(WeightRounding, EightBitsAreTheNearestStep) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.02F);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> weights(kColumns);
    for (float& weight : weights) weight = normal(random);
    const std::vector<float> back = read_back(WeightFormat::kQ8_0, weights);
    for (int block = 0; block < kColumns; block += 32) {
      float largest = 0;
      for (int i = block; i < block + 32; ++i) largest = std::max(largest, std::fabs(weights[i]));
      const float step = kernels::half_to_float(kernels::float_to_half(largest / 127));
      for (int i = block; i < block + 32; ++i) {
        ASSERT_LE(std::fabs(back[i] - weights[i]),
                  step * 0.5001F + (std::fabs(weights[i]) == largest ? step * 0.07F : 0))
            << i;
      }
    }
  }
}

// Multiples of a step that a half can hold come back as they were.
TEST(WeightRounding, EightBitsKeepWhatIsOnTheirSteps) {
  std::vector<float> weights(kColumns);
  for (int i = 0; i < kColumns; ++i) weights[i] = static_cast<float>(i % 32 * 8 - 127) * 0x1p-9F;
  EXPECT_EQ(read_back(WeightFormat::kQ8_0, weights), weights);
  const std::vector<float> none(kColumns);
  EXPECT_EQ(read_back(WeightFormat::kQ8_0, none), none);
}

// In units of the spread of normal weights. One scale alone, with the largest weight at its end,
// would lose .086.
TEST(WeightRounding, FourBitsLoseLittle) {
  std::mt19937 random(4);
  std::normal_distribution<float> normal(0, 0.02F);
  double lost = 0;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<float> weights(kColumns);
    for (float& weight : weights) weight = normal(random);
    const std::vector<float> back = read_back(WeightFormat::kQ4_0, weights);
    for (int i = 0; i < kColumns; ++i) lost += std::pow((back[i] - weights[i]) / 0.02, 2);
  }
  EXPECT_LT(std::sqrt(lost / (kRounds * kColumns)), 0.084);
}

TEST(WeightRounding, FourBitsKeepWhatIsOnTheirSteps) {
  for (const float sign : {1.0F, -1.0F}) {
    std::vector<float> weights(kColumns);
    for (int i = 0; i < kColumns; ++i) weights[i] = sign * static_cast<float>(i % 16 - 8) * 0x1p-5F;
    EXPECT_EQ(read_back(WeightFormat::kQ4_0, weights), weights);
  }
  const std::vector<float> none(kColumns);
  EXPECT_EQ(read_back(WeightFormat::kQ4_0, none), none);
}

TEST(WeightRounding, FloatsAreRoundedAsOneByOne) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> weights(kColumns);
  for (float& weight : weights) weight = normal(random);
  EXPECT_EQ(read_back(WeightFormat::kF32, weights), weights);
  std::vector<float> halves = weights;
  for (float& weight : halves) weight = kernels::half_to_float(kernels::float_to_half(weight));
  EXPECT_EQ(read_back(WeightFormat::kF16, weights), halves);
}

TEST(WeightRounding, DetectsValuesThatAreTooLargeOrNaN) {
  for (const float bad : {NAN, INFINITY, -INFINITY, 3e38F}) {
    std::vector<float> weights(kColumns, 0.5F);
    weights[40] = bad;
    for (const WeightFormat format : {WeightFormat::kF16, WeightFormat::kQ8_0, WeightFormat::kQ4_0})
      EXPECT_FALSE(are_finite(format, rounded(format, weights))) << bad;
  }
  EXPECT_TRUE(are_finite(WeightFormat::kQ8_0,
                         rounded(WeightFormat::kQ8_0, std::vector<float>(kColumns, 1e6F))));
}

}  // namespace
}  // namespace redraft
