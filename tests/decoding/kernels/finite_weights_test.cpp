#include "decoding/kernels/finite_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft {
namespace {

// The definition: the row's values.
bool row_is_finite(WeightFormat format, const std::vector<std::uint8_t>& row, int columns) {
  std::vector<float> values(static_cast<std::size_t>(columns));
  dequantize_row(format, row.data(), columns, values.data());
  for (const float value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

// Random bytes: some blocks have a scale that is not finite. A zero code does not hide an infinite
// scale (0 times infinity is NaN), and no code makes a finite scale infinite.
TEST(FiniteWeights, AgreeWithTheWeightsThemselves) {
  std::mt19937 random(1);
  for (const WeightFormat format : kernels::kAllFormats) {
    const WeightFormatInfo& info = *weight_format_info(format);
    const int columns = info.block_size == 1 ? 7 : 2 * info.block_size;
    int finite = 0;
    for (int round = 0; round < 400; ++round) {
      std::vector<std::uint8_t> row(weight_bytes(format, 1, columns));
      for (std::uint8_t& byte : row) byte = static_cast<std::uint8_t>(random());
      const bool expected = row_is_finite(format, row, columns);
      EXPECT_EQ(are_finite(format, row), expected) << info.name;
      finite += expected;
    }
    EXPECT_GT(finite, 50) << info.name;
    EXPECT_LT(finite, 400) << info.name;
  }
}

}  // namespace
}  // namespace redraft
