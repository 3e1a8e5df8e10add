#include "cuda/head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace redraft::cuda {
namespace {

std::vector<float> random_logits(int count, std::mt19937& random) {
  std::vector<float> logits(static_cast<std::size_t>(count));
  for (float& logit : logits) logit = static_cast<float>(random() % 40) - 20.0F;  // with many ties
  return logits;
}

TEST(CudaTopK, IsASortOfTheLogits) {
  std::mt19937 random(1);
  const int rows = 3, n = 700;
  std::vector<float> logits = random_logits(rows * n, random);
  logits[5] = std::numeric_limits<float>::quiet_NaN();
  logits[9] = std::numeric_limits<float>::infinity();
  for (const int k : {1, 4, 50}) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(rows * k));
    std::vector<float> best(ids.size());
    top_k(logits.data(), rows, n, k, ids.data(), best.data(), nullptr);
    for (int r = 0; r < rows; ++r) {
      const float* row = &logits[static_cast<std::size_t>(r * n)];
      std::vector<std::int32_t> expected(static_cast<std::size_t>(n));
      std::iota(expected.begin(), expected.end(), 0);
      std::ranges::stable_sort(expected, [&](int a, int b) {
        return std::isnan(row[b]) ? !std::isnan(row[a]) : row[a] > row[b];
      });
      for (int i = 0; i < k; ++i) {
        EXPECT_EQ(ids[static_cast<std::size_t>(r * k + i)], expected[static_cast<std::size_t>(i)]);
        EXPECT_EQ(best[static_cast<std::size_t>(r * k + i)],
                  row[expected[static_cast<std::size_t>(i)]]);
      }
    }
  }
}

TEST(CudaTopK, HasWhatIsNoNumberLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> logits = {nan, -1.0F, nan, -std::numeric_limits<float>::infinity()};
  std::vector<std::int32_t> ids(4);
  std::vector<float> best(4);
  top_k(logits.data(), 1, 4, 4, ids.data(), best.data(), nullptr);
  EXPECT_EQ(ids, (std::vector<std::int32_t>{1, 3, 0, 2}));
}

TEST(CudaLogProbability, IsThatOfTheSoftmax) {
  std::mt19937 random(2);
  const int rows = 2, n = 1000;
  const std::vector<float> logits = random_logits(rows * n, random);
  const std::vector<std::int32_t> ids = {17, 999};
  std::vector<float> out(2);
  log_probability(logits.data(), rows, n, ids.data(), out.data(), nullptr);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += std::exp(static_cast<double>(logits[static_cast<std::size_t>(r * n + i)]));
    const auto at = static_cast<std::size_t>(r * n + ids[static_cast<std::size_t>(r)]);
    EXPECT_NEAR(static_cast<double>(out[static_cast<std::size_t>(r)]),
                static_cast<double>(logits[at]) - std::log(sum), 1e-4);
  }
}

}  // namespace
}  // namespace redraft::cuda
