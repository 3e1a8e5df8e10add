// Linear layers of unquantised weights: single precision from end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "decoding/kernels/linear.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

TEST(LinearFloat, ARowHasTheSameBitsInAnyCompany) {
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kFloatFormats) {
      for (int rows = 2; rows <= 64; ++rows) {
        for (const std::uint32_t seed : {1U, 2U}) {
          const int n = 1 + rows * 7 % 40;
          const int k = 1 + rows * 29 % 301;
          EXPECT_TRUE(is_row_invariant(format, isa, n, k, rows, seed))
              << name_of(format, isa) << " rows " << rows;
        }
      }
    }
  }
}

TEST(LinearFloat, ManyRowsAndOddShapes) {
  struct Case {
    int n, k, rows;
  };
  constexpr Case kCases[] = {{33, 4864, 65}, {17, 1537, 127}, {50, 895, 128}, {15, 577, 200},
                             {1, 1, 3},      {16, 2, 200},    {5, 100, 65},   {18, 33, 9}};
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kFloatFormats) {
      for (const Case& c : kCases) {
        EXPECT_TRUE(is_row_invariant(format, isa, c.n, c.k, c.rows, 11))
            << name_of(format, isa) << " " << c.n << "x" << c.k << " rows " << c.rows;
      }
    }
  }
}

// The gate can fail: it must see a sum that is split in two as soon as there are several rows.
TEST(LinearFloat, TheGateCatchesASumThatDependsOnTheRows) {
  std::mt19937 random(5);
  const int k = 300;
  const TestWeight weight = make_weight(WeightFormat::kF32, best_isa(), 16, k,
                                        random_file(WeightFormat::kF32, 16, k, random));
  const std::vector<float> x = random_floats(9 * k, random);
  ThreadPool pool(1);
  const auto split_by_rows = [&](int first, int rows) {
    const int cut = rows > 1 ? k / 2 : 0;
    std::vector<float> head(x.begin() + first * k, x.begin() + (first + rows) * k);
    std::vector<float> tail = head;
    for (int i = 0; i < rows * k; ++i) (i % k < cut ? tail : head)[static_cast<std::size_t>(i)] = 0;
    std::vector<float> y = run_linear(weight.packed, head.data(), rows, pool);
    const std::vector<float> rest = run_linear(weight.packed, tail.data(), rows, pool);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += rest[i];
    return y;
  };
  EXPECT_FALSE(each_row_is_as_alone(9, 16, split_by_rows));
}

TEST(LinearFloat, ThreadsDoNotChangeBits) {
  std::mt19937 random(8);
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kFloatFormats) {
      const TestWeight weight =
          make_weight(format, isa, 75, 333, random_file(format, 75, 333, random));
      const std::vector<float> x = random_floats(13 * 333, random);
      ThreadPool one(1);
      const std::vector<float> expected = run_linear(weight.packed, x.data(), 13, one);
      for (const int threads : {2, 3, 5}) {
        ThreadPool pool(threads);
        const std::vector<float> got = run_linear(weight.packed, x.data(), 13, pool);
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
            << name_of(format, isa);
      }
    }
  }
}

// Compared with double arithmetic. A sum of k products rounds at most k times, each time by 2^-24
// of the magnitudes summed so far; twice that if the product rounds separately.
TEST(LinearFloat, IsSinglePrecisionFromEndToEnd) {
  std::mt19937 random(21);
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kFloatFormats) {
      for (const int k : {1, 70, 512, 1535}) {
        const int n = 37;
        const int rows = 11;
        const TestWeight weight = make_weight(format, isa, n, k, random_file(format, n, k, random));
        const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * k, random);
        const std::vector<float> bias = random_floats(n, random);
        ThreadPool pool(2);
        const std::vector<float> y = run_linear(weight.packed, x.data(), rows, pool, bias.data());
        for (int i = 0; i < rows * n; ++i) {
          const float* row = x.data() + static_cast<std::size_t>(i / n) * k;
          const float* weights = weight.values.data() + static_cast<std::size_t>(i % n) * k;
          double sum = bias[static_cast<std::size_t>(i % n)];
          double magnitude = std::fabs(sum);
          for (int at = 0; at < k; ++at) {
            sum += static_cast<double>(row[at]) * weights[at];
            magnitude += std::fabs(static_cast<double>(row[at]) * weights[at]);
          }
          ASSERT_NEAR(y[static_cast<std::size_t>(i)], sum, 2 * (k + 1) * 0x1p-24 * magnitude)
              << name_of(format, isa) << " k " << k;
        }
      }
    }
  }
}

// Every 16-bit pattern times one gives itself: widening is exact, also for subnormals and
// infinities.
TEST(LinearFloat, WeightsAreWidenedExactly) {
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : {WeightFormat::kF16, WeightFormat::kBF16}) {
      const int n = 1 << 16;
      std::vector<std::uint8_t> file(2 * n);
      for (int i = 0; i < n; ++i) {
        const auto bits = static_cast<std::uint16_t>(i);
        std::memcpy(&file[static_cast<std::size_t>(2 * i)], &bits, 2);
      }
      const TestWeight weight = make_weight(format, isa, n, 1, file);
      const float one = 1;
      ThreadPool pool(1);
      const std::vector<float> y = run_linear(weight.packed, &one, 1, pool);
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (std::isnan(weight.values[i])) {
          ASSERT_TRUE(std::isnan(y[i])) << name_of(format, isa) << " " << i;
        } else {
          ASSERT_EQ(y[i], weight.values[i]) << name_of(format, isa) << " " << i;
        }
      }
    }
  }
}

TEST(LinearFloat, TheHeadKeepsTheLargest) {
  std::mt19937 random(51);
  for (const Isa isa : available_isas()) {
    for (const WeightFormat format : kFloatFormats) {
      const int n = 333;
      const int k = 65;
      const int rows = 9;
      std::vector<std::uint8_t> file = random_file(format, n, k, random);
      // The second half repeats the first: ties everywhere.
      const std::size_t half = weight_bytes(format, n / 2, k);
      std::copy_n(file.begin(), half, file.begin() + static_cast<std::ptrdiff_t>(half));
      const TestWeight weight = make_weight(format, isa, n, k, file);
      const std::vector<float> x = random_floats(rows * k, random);
      ThreadPool pool(2);
      const std::vector<float> logits = run_linear(weight.packed, x.data(), rows, pool);
      std::vector<std::int32_t> best(rows);
      linear_argmax(weight.packed, x.data(), rows, best.data(), nullptr, pool);
      const int k_best = 7;
      std::vector<std::int32_t> ids(rows * k_best);
      std::vector<float> values(ids.size());
      linear_top_k(weight.packed, x.data(), rows, k_best, ids.data(), values.data(), pool);
      for (int row = 0; row < rows; ++row) {
        const float* from = logits.data() + row * n;
        std::vector<std::int32_t> order(n);
        for (int j = 0; j < n; ++j) order[static_cast<std::size_t>(j)] = j;
        std::stable_sort(order.begin(), order.end(),
                         [&](int a, int b) { return from[a] > from[b]; });
        EXPECT_EQ(best[static_cast<std::size_t>(row)], order[0]) << name_of(format, isa);
        for (int i = 0; i < k_best; ++i) {
          EXPECT_EQ(ids[static_cast<std::size_t>(row * k_best + i)],
                    order[static_cast<std::size_t>(i)]);
          EXPECT_EQ(values[static_cast<std::size_t>(row * k_best + i)],
                    from[order[static_cast<std::size_t>(i)]]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
