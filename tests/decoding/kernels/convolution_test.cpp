// The convolutions of recurrent layers: what they compute, and that a row has the same bits in a
// chain and in a tree, on any number of threads. delta_rule_test.cpp has those that silu follows.
#include "decoding/kernels/convolution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace redraft::kernels {
namespace {

// Not a multiple of any vector's width, and enough for several threads.
constexpr int kChannels = 1033;

std::vector<float> random_floats(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> out(count);
  std::ranges::generate(out, [&] { return normal(random); });
  return out;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

struct Layer {
  ConvolutionShape shape;
  std::vector<float> weight, columns, mixed;

  Layer(int taps, int rows)
      : shape{.channels = kChannels, .taps = taps},
        weight(random_floats(std::size_t(taps) * kChannels, 1)),
        columns(random_floats(shape.column_floats(), 2)),
        mixed(random_floats(std::size_t(rows) * kChannels, 3)) {}

  std::span<const float> row(int idx) const {
    return std::span(mixed).subspan(std::size_t(idx) * kChannels, kChannels);
  }
  std::vector<float> run(Isa isa, const TreeRows& tree, ThreadPool& pool) const {
    std::vector<float> out(mixed.size());
    causal_convolution(isa, shape, weight.data(), tree, columns.data(), mixed.data(), out.data(),
                       pool);
    return out;
  }
  void advance(std::span<const int> path) {
    std::vector<const float*> rows;
    for (const int each : path) rows.push_back(row(each).data());
    advance_columns(shape, rows, columns.data());
  }
};

// The rows that lead to a node of a draft behind `context` rows.
std::vector<int> path_to(int node, int context, const std::vector<std::int32_t>& parents) {
  std::vector<int> path;
  for (int at = node; at >= 0; at = parents[std::size_t(at)]) path.push_back(context + at);
  for (int row = context - 1; row >= 0; --row) path.push_back(row);
  std::ranges::reverse(path);
  return path;
}

class Convolution : public testing::TestWithParam<Isa> {
 protected:
  ThreadPool one_{1}, three_{3};
};

TEST_P(Convolution, AddsTheLastRows) {
  for (const int taps : {2, 3, 7}) {
    const Layer layer(taps, 5);
    const std::vector<float> out = layer.run(GetParam(), {.context = 5}, three_);
    for (int row = 0; row < 5; ++row) {
      for (int channel = 0; channel < kChannels; ++channel) {
        double sum = 0;
        for (int tap = 0; tap < taps; ++tap) {
          const int from = row - (taps - 1) + tap;
          const float input =
              from >= 0
                  ? layer.row(from)[std::size_t(channel)]
                  : layer.columns[std::size_t(from + taps - 1) * kChannels + std::size_t(channel)];
          sum += double{input} * layer.weight[std::size_t(tap) * kChannels + std::size_t(channel)];
        }
        ASSERT_NEAR(out[std::size_t(row) * kChannels + std::size_t(channel)], sum, 1e-5)
            << taps << " taps, row " << row;
      }
    }
  }
}

TEST_P(Convolution, ARowOfATreeLooksBackAlongItsPath) {
  std::mt19937 random(3);
  for (int round = 0; round < 6; ++round) {
    const int context = int(random() % 4);
    std::vector<std::int32_t> parents;
    for (int i = 0; i < 12; ++i) parents.push_back(int(random() % std::uint32_t(i + 1)) - 1);
    const Layer layer(3, context + 12);
    const std::vector<float> out =
        layer.run(GetParam(), {.context = context, .parents = parents}, three_);
    for (int node = 0; node < 12; ++node) {
      const std::vector<int> path = path_to(node, context, parents);
      Layer chain = layer;
      chain.mixed.clear();
      for (const int each : path)
        chain.mixed.insert(chain.mixed.end(), layer.row(each).begin(), layer.row(each).end());
      const std::vector<float> alone = chain.run(GetParam(), {.context = int(path.size())}, one_);
      EXPECT_TRUE(
          same_bits(std::span(out).subspan(std::size_t(context + node) * kChannels, kChannels),
                    std::span(alone).last(kChannels)))
          << "node " << node;
    }
  }
}

// Lanes are channels and taps are added in order, so instruction sets differ only if they round
// products, as the portable one does.
TEST_P(Convolution, HasTheSameBitsWithEveryVectorWidth) {
  if (GetParam() == Isa::kPortable) GTEST_SKIP() << "rounds each product";
  const Layer layer(4, 6);
  EXPECT_TRUE(same_bits(layer.run(GetParam(), {.context = 6}, three_),
                        layer.run(best_isa(), {.context = 6}, one_)));
}

TEST_P(Convolution, MultipliesRowsWithinWiderOnes) {
  constexpr int kRows = 5, kWidth = 3 * kChannels;
  const std::vector<float> x = random_floats(std::size_t(kRows) * kWidth, 4);
  std::vector<float> out = random_floats(std::size_t(kRows) * kChannels, 5);
  const std::vector<float> y = out;
  multiply_rows(GetParam(), {x.data() + kChannels, kWidth}, {out.data(), kChannels}, kRows,
                kChannels, out.data(), three_);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = i / kChannels, channel = i % kChannels;
    ASSERT_EQ(out[i], x[row * kWidth + kChannels + channel] * y[i]) << row << ", " << channel;
  }
}

INSTANTIATE_TEST_SUITE_P(, Convolution, testing::ValuesIn(available_isas()), [](const auto& isa) {
  return std::string("isa") + std::to_string(static_cast<int>(isa.param));
});

// However many rows are read at once, the last ones stay.
TEST(ConvolutionColumns, AreTheLastRowsOfThePath) {
  Layer once(4, 9);
  const std::vector<float> before = once.columns;
  once.advance(std::vector{0, 3, 4, 8, 2});
  for (const auto& parts : {std::vector<std::vector<int>>{{0}, {3, 4}, {}, {8, 2}},
                            std::vector<std::vector<int>>{{0, 3, 4, 8}, {2}}}) {
    Layer part(4, 9);
    for (const std::vector<int>& each : parts) part.advance(each);
    EXPECT_TRUE(same_bits(part.columns, once.columns));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bits(std::span(once.columns).subspan(std::size_t(i) * kChannels, kChannels),
                          once.row(std::vector{4, 8, 2}[std::size_t(i)])));
  }
  EXPECT_FALSE(same_bits(before, once.columns));
}

}  // namespace
}  // namespace redraft::kernels
