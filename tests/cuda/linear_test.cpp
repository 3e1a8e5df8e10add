// The kernels of linear layers, with the lines that run on a GPU, on the emulated device.
#include "cuda/linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <vector>

#include "cuda/layer.h"
#include "cuda/reference.h"
#include "tests/cuda/packed_file.h"

namespace redraft::cuda {
namespace {

class RoundedRows {
 public:
  RoundedRows(const std::vector<float>& x, int rows, int k, bool bfloats)
      : values_(aligned_bytes(static_cast<std::size_t>(rows) *
                              static_cast<std::size_t>(padded_width(k)) * 2)),
        scales_(static_cast<std::size_t>(rows)),
        bfloats_(bfloats) {
    round_rows(x.data(), k, rows, k, {values(), bfloats ? nullptr : scales_.data()}, nullptr);
  }
  std::uint16_t* values() const { return reinterpret_cast<std::uint16_t*>(values_.get()); }
  const std::vector<float>& scales() const { return scales_; }
  Rows from(int row, int k) const {
    return {values() + row * padded_width(k), bfloats_ ? nullptr : scales_.data() + row};
  }

 private:
  AlignedBytes values_;
  std::vector<float> scales_;
  bool bfloats_;
};

std::vector<float> times(const Weight& weight, const Rows& x, int rows, const float* bias) {
  const int ldy = weight.n + 3;
  std::vector<float> y(static_cast<std::size_t>(rows) * static_cast<std::size_t>(ldy), -7.0F);
  linear(weight, x, rows, bias, y.data(), ldy, nullptr);
  return y;
}

TEST(RoundRows, IsTheReference) {
  std::mt19937 random(1);
  for (const int k : {1, 31, 64, 200, 1000}) {
    const int rows = 3;
    std::vector<float> x = random_floats(static_cast<std::size_t>(rows * k), random);
    x[0] = 1e30F;  // far beyond the range of halves
    for (int i = k; i < 2 * k; ++i) x[static_cast<std::size_t>(i)] *= 1e-20F;
    for (const bool bfloats : {false, true}) {
      const RoundedRows rounded(x, rows, k, bfloats);
      std::vector<std::uint16_t> values(static_cast<std::size_t>(rows * padded_width(k)));
      std::vector<float> scales(rounded.scales().size());
      round_rows_reference(x.data(), k, rows, k, values.data(), bfloats ? nullptr : scales.data());
      EXPECT_TRUE(std::equal(values.begin(), values.end(), rounded.values())) << k;
      if (!bfloats) {
        EXPECT_EQ(scales, rounded.scales());
      }
    }
  }
}

TEST(RoundRows, KeepsWhatIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {1.0F, nan, -std::numeric_limits<float>::infinity(), 0.0F};
  const RoundedRows rounded(x, 1, 4, false);
  EXPECT_TRUE(std::isnan(kernels::half_to_float(rounded.values()[1])));
  EXPECT_TRUE(std::isinf(kernels::half_to_float(rounded.values()[2])));
  EXPECT_EQ(rounded.values()[4], 0);
}

TEST(WeightLayout, TakesLittleMoreThanTheFile) {
  for (const WeightFormat format : kFormats) {
    const double file = static_cast<double>(weight_bytes(format, 1536, 1536));
    EXPECT_LE(static_cast<double>(packed_bytes(format, 1536, 1536)), 1.03 * file)
        << weight_format_info(format)->name;
    EXPECT_EQ(tile_bytes(format, 1536) % 16, 0U);
  }
}

TEST(Linear, IsTheReference) {
  std::mt19937 random(2);
  for (const WeightFormat format : kFormats) {
    const int block = weight_format_info(format)->block_size;
    for (const auto& [n, k, rows] : std::vector<std::array<int, 3>>{{1, block, 1},
                                                                    {17, 3 * block, 5},
                                                                    {40, 768, 13},
                                                                    {16, 512, 20},
                                                                    {33, 256, 41},
                                                                    {130, 256, 67}}) {
      const PackedFile packed(format, n, k, random);
      const RoundedRows x(random_floats(static_cast<std::size_t>(rows * k), random), rows, k,
                          reads_bfloats(format));
      const std::vector<float> bias = random_floats(static_cast<std::size_t>(n), random);
      const float* added = n % 2 ? bias.data() : nullptr;
      const std::vector<float> y = times(packed.weight(), x.from(0, k), rows, added);
      for (int r = 0; r < rows; ++r) {
        for (int j = 0; j < n; ++j) {
          const Bounded expected =
              linear_reference(format, k, packed.file().data(), j, x.from(0, k), r, added);
          ASSERT_NEAR(static_cast<double>(y[static_cast<std::size_t>(r * (n + 3) + j)]),
                      expected.value, expected.bound)
              << weight_format_info(format)->name << " n " << n << " k " << k << " row " << r
              << " output " << j;
        }
        for (int j = n; j < n + 3; ++j)
          ASSERT_EQ(y[static_cast<std::size_t>(r * (n + 3) + j)], -7.0F) << "beyond the outputs";
      }
    }
  }
}

// The gate: a row keeps its bits however many other rows are computed with it.
TEST(Linear, GivesARowTheSameBitsInAnyCompany) {
  std::mt19937 random(3);
  for (const WeightFormat format : kFormats) {
    // All row counts of interest for two formats, fewer for the others, because an emulated device
    // is slow.
    const bool all = format == WeightFormat::kBF16 || format == WeightFormat::kQ4_K;
    const int n = 20, k = 512, most = all ? 128 : 70;
    const PackedFile packed(format, n, k, random);
    const RoundedRows x(random_floats(static_cast<std::size_t>(most * k), random), most, k,
                        reads_bfloats(format));
    std::vector<float> alone;
    for (int r = 0; r < most; ++r) {
      const std::vector<float> y = times(packed.weight(), x.from(r, k), 1, nullptr);
      alone.insert(alone.end(), y.begin(), y.end());
    }
    for (const int rows : {2, 8, 9, 17, 33, 64, 65, 70, 100, 128}) {
      if (rows > most || (!all && rows != 9 && rows != 70)) continue;
      const int first = (most - rows) / 2;
      const std::vector<float> y = times(packed.weight(), x.from(first, k), rows, nullptr);
      ASSERT_EQ(std::memcmp(y.data(), &alone[static_cast<std::size_t>(first * (n + 3))],
                            y.size() * sizeof(float)),
                0)
          << weight_format_info(format)->name << ' ' << rows << " rows";
    }
  }
}

// Negative control: the same sums in another order have other bits, so the gate can fail.
TEST(Linear, HasOtherBitsInAnotherOrder) {
  std::mt19937 random(4);
  const int n = 64, k = 1024;
  const PackedFile packed(WeightFormat::kBF16, n, k, random);
  const std::vector<float> x = random_floats(static_cast<std::size_t>(k), random);
  std::vector<float> turned = x;
  std::rotate(turned.begin(), turned.begin() + k / 2, turned.end());
  std::vector<std::uint8_t> file = packed.file();
  for (auto row = file.begin(); row != file.end(); row += 2 * k)
    std::rotate(row, row + k, row + 2 * k);
  const PackedFile other(WeightFormat::kBF16, n, k, std::move(file));
  const RoundedRows rounded(x, 1, k, true), rounded_turned(turned, 1, k, true);
  EXPECT_NE(times(packed.weight(), rounded.from(0, k), 1, nullptr),
            times(other.weight(), rounded_turned.from(0, k), 1, nullptr));
}

std::vector<std::int32_t> best_of(const Weight& weight, const Rows& x, int rows) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(rows), 99);
  std::vector<std::int32_t> best(keys.size(), -1);
  linear_argmax(weight, x, rows, keys.data(), best.data(), nullptr);
  return best;
}

TEST(LinearArgmax, IsTheLargestOfTheLinear) {
  std::mt19937 random(5);
  for (const WeightFormat format : {WeightFormat::kQ6_K, WeightFormat::kBF16}) {
    const int n = 83, k = 256;
    const PackedFile packed(format, n, k, random);
    for (const int rows : {1, 9, 33, 70}) {
      const RoundedRows x(random_floats(static_cast<std::size_t>(rows * k), random), rows, k,
                          reads_bfloats(format));
      const std::vector<float> y = times(packed.weight(), x.from(0, k), rows, nullptr);
      const std::vector<std::int32_t> best = best_of(packed.weight(), x.from(0, k), rows);
      for (int r = 0; r < rows; ++r) {
        const auto row = y.begin() + r * (n + 3);
        EXPECT_EQ(best[static_cast<std::size_t>(r)], std::max_element(row, row + n) - row);
      }
    }
  }
}

// Equal outputs (zeros of both signs), and outputs that are NaN.
TEST(LinearArgmax, TakesTheLowerOfTwoAndNeverNan) {
  const int n = 40, k = 64;
  std::vector<std::uint8_t> file(static_cast<std::size_t>(2 * n * k), 0);
  const auto set = [&](int output, float value) {
    const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
    std::memcpy(&file[static_cast<std::size_t>(2 * output * k)], &bits, 2);
  };
  const auto best = [&](float first) {
    const PackedFile packed(WeightFormat::kBF16, n, k, file);
    std::vector<float> x(static_cast<std::size_t>(k), 0.0F);
    x[0] = first;
    const RoundedRows rounded(x, 1, k, true);
    return best_of(packed.weight(), rounded.from(0, k), 1).front();
  };
  EXPECT_EQ(best(1.0F), 0) << "all are zero";
  set(0, -1.0F);
  set(7, 2.0F);
  set(33, 2.0F);
  EXPECT_EQ(best(1.0F), 7);
  EXPECT_EQ(best(-1.0F), 0);
  set(3, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(best(1.0F), 7);
  set(3, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(best(1.0F), 7);
  EXPECT_EQ(best(-1.0F), 3);
  EXPECT_EQ(best(std::numeric_limits<float>::quiet_NaN()), 0) << "nothing is a number";
}

}  // namespace
}  // namespace redraft::cuda
