#include "decoding/kernels/weight_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "decoding/kernels/half.h"
#include "tests/decoding/kernels/dequantize_golden.h"

namespace redraft {
namespace {

TEST(WeightFormat, DequantizesAsTheGgufPackageDoes) {
  for (const GoldenBlock& golden : kGoldenBlocks) {
    const WeightFormatInfo& info = *weight_format_info(golden.format);
    ASSERT_EQ(static_cast<int>(golden.bytes.size()), info.block_bytes) << info.name;
    std::vector<float> weights(static_cast<std::size_t>(info.block_size));
    dequantize_row(golden.format, golden.bytes.data(), info.block_size, weights.data());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(weights[i]), golden.weights[i])
          << info.name << " weight " << i;
    }
  }
}

// Blocks of any bytes: their scales are any halves or exponents, not only those that a file may
// have.
TEST(WeightFormat, AnyBlockStandsForWhatTheGgufPackageSays) {
  for (const auto& [format, expected] : kGoldenSums) {
    const WeightFormatInfo& info = *weight_format_info(format);
    std::minstd_rand random(1);
    std::vector<std::uint8_t> block(static_cast<std::size_t>(info.block_bytes));
    std::vector<float> weights(static_cast<std::size_t>(info.block_size));
    std::uint64_t sum = 0xcbf29ce484222325;
    for (int i = 0; i < kSummedBlocks; ++i) {
      for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random() >> 8);
      dequantize_row(format, block.data(), info.block_size, weights.data());
      for (const float weight : weights) {
        const auto bits = std::isnan(weight) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(weight);
        sum = (sum ^ bits) * 0x100000001b3;
      }
    }
    EXPECT_EQ(sum, expected) << info.name;
  }
}

TEST(WeightFormat, KnowsItsNumbersAndNoOthers) {
  EXPECT_STREQ(weight_format_info(static_cast<WeightFormat>(12))->name, "Q4_K");
  EXPECT_EQ(weight_format_info(static_cast<WeightFormat>(4)), nullptr);
  EXPECT_STREQ(weight_format_info(static_cast<WeightFormat>(10))->name, "Q2_K");
  EXPECT_STREQ(weight_format_info(static_cast<WeightFormat>(11))->name, "Q3_K");
  EXPECT_STREQ(weight_format_info(static_cast<WeightFormat>(20))->name, "IQ4_NL");
  EXPECT_STREQ(weight_format_info(static_cast<WeightFormat>(23))->name, "IQ4_XS");
  EXPECT_STREQ(weight_format_info(static_cast<WeightFormat>(39))->name, "MXFP4");
  EXPECT_EQ(weight_format_info(static_cast<WeightFormat>(22)), nullptr);  // IQ2_S
  EXPECT_EQ(weight_format_info(static_cast<WeightFormat>(1000)), nullptr);
  EXPECT_EQ(weight_bytes(WeightFormat::kQ6_K, 3, 512), 3u * 2 * 210);
}

TEST(Half, EveryHalfSurvivesAFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = kernels::half_to_float(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(kernels::half_to_float(kernels::float_to_half(value))));
    } else {
      ASSERT_EQ(kernels::float_to_half(value), half) << bits;
    }
  }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(kernels::half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(kernels::half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(kernels::float_to_half(65504.0f), 0x7bff);
  EXPECT_EQ(kernels::float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(kernels::float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(kernels::float_to_half(-INFINITY), 0xfc00);
  for (std::uint16_t half = 0; half < 0x7bff; ++half) {  // between two halves, ties included
    const float low = kernels::half_to_float(half);
    const float high = kernels::half_to_float(static_cast<std::uint16_t>(half + 1));
    const float middle = (low + high) / 2;
    const auto even = static_cast<std::uint16_t>(half % 2 == 0 ? half : half + 1);
    ASSERT_EQ(kernels::float_to_half(middle), even) << half;
    ASSERT_EQ(kernels::float_to_half(std::nextafterf(middle, 0.0f)), half) << half;
    ASSERT_EQ(kernels::float_to_half(std::nextafterf(middle, INFINITY)), half + 1) << half;
  }
}

}  // namespace
}  // namespace redraft
