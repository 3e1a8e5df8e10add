// What a mixture of experts is made of: linear layers over groups of rows, and the sums of what
// they say. Each group has the bits that it has alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "decoding/kernels/operator_kernels.h"
#include "decoding/kernels/transformer_ops.h"
#include "tests/decoding/kernels/each_isa.h"
#include "tests/decoding/kernels/kernel_cases.h"

namespace redraft::kernels {
namespace {

using GroupedRows = EachIsa;
INSTANTIATE_TEST_SUITE_P(, GroupedRows, all_isas(), name_of_isa);

constexpr int kGroups[] = {1, 3, 8, 64, 2, 17, 9, 130};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// One layer for each group, of whatever formats exist with this width, over rows from anywhere.
struct Experts {
  Experts(Isa of, int outputs, int inputs, std::mt19937& random) : isa(of), n(outputs), k(inputs) {
    constexpr int kRows = 50;
    x = random_floats(static_cast<std::size_t>(kRows) * k, random);
    for (const int count : kGroups) {
      WeightFormat format = WeightFormat::kF32;
      do {
        format = kAllFormats[random() % std::size(kAllFormats)];
      } while (k % weight_format_info(format)->block_size != 0);
      weights.push_back(make_weight(format, isa, n, k, random_file(format, n, k, random)));
      for (int i = 0; i < count; ++i)
        sources.push_back(static_cast<std::int32_t>(random() % kRows));
    }
  }

  // The rows of group after group.
  std::vector<float> gathered(ThreadPool& pool) const {
    std::vector<float> out(sources.size() * static_cast<std::size_t>(k));
    gather_rows(x.data(), sources.data(), static_cast<int>(sources.size()), k, out.data(), pool);
    return out;
  }

  std::vector<float> run(ThreadPool& pool) const {
    const std::vector<float> floats = gathered(pool);
    const AlignedBytes blocks = aligned_bytes(quantized_groups_bytes(isa, kGroups, k));
    quantize_groups(isa, x.data(), sources.data(), kGroups, k, blocks.get(), pool);
    std::vector<float> y(sources.size() * static_cast<std::size_t>(n));
    std::vector<GroupedLinear> all;
    const std::uint8_t* block = blocks.get();
    std::size_t row = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const LinearInput input = reads_floats(weights[i].packed.format)
                                    ? LinearInput(floats.data() + row * k)
                                    : LinearInput(block);
      all.push_back({{weights[i].packed, input, nullptr, y.data() + row * n, n}, kGroups[i]});
      block += quantized_bytes(isa, kGroups[i], k);
      row += static_cast<std::size_t>(kGroups[i]);
    }
    grouped_linears(all, pool);
    return y;
  }

  // Row by row, each alone.
  std::vector<float> expected(ThreadPool& pool) const {
    const std::vector<float> floats = gathered(pool);
    std::vector<float> out;
    std::size_t row = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (int r = 0; r < kGroups[i]; ++r, ++row) {
        const std::vector<float> y =
            run_linear(weights[i].packed, floats.data() + row * k, 1, pool);
        out.insert(out.end(), y.begin(), y.end());
      }
    }
    return out;
  }

  Isa isa;
  int n, k;
  std::vector<float> x;
  std::vector<std::int32_t> sources;
  std::vector<TestWeight> weights;
};

TEST_P(GroupedRows, HaveTheBitsOfEachRowAlone) {
  std::mt19937 random(1);
  ThreadPool one(1);
  ThreadPool three(3);
  for (const auto& [n, k] : {std::pair{16, 32}, {50, 96}, {200, 512}, {33, 256}, {48, 800}}) {
    const Experts experts(GetParam(), n, k, random);
    const std::vector<float> expected = experts.expected(one);
    for (ThreadPool* pool : {&one, &three})
      EXPECT_TRUE(same_bits(experts.run(*pool), expected)) << n << " " << k;
  }
}

TEST_P(GroupedRows, AreThoseOfTheInputWithoutSources) {
  std::mt19937 random(2);
  ThreadPool pool(2);
  constexpr int kWidth = 300;
  const int rows = std::accumulate(std::begin(kGroups), std::end(kGroups), 0);
  const std::vector<float> x = random_floats(static_cast<std::size_t>(rows) * kWidth, random);
  std::vector<std::int32_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  const std::size_t bytes = quantized_groups_bytes(GetParam(), kGroups, kWidth);
  const AlignedBytes with = aligned_bytes(bytes);
  const AlignedBytes without = aligned_bytes(bytes);
  std::fill_n(with.get(), bytes, std::uint8_t{0});
  std::fill_n(without.get(), bytes, std::uint8_t{0});
  quantize_groups(GetParam(), x.data(), all.data(), kGroups, kWidth, with.get(), pool);
  quantize_groups(GetParam(), x.data(), nullptr, kGroups, kWidth, without.get(), pool);
  EXPECT_EQ(std::memcmp(with.get(), without.get(), bytes), 0);
}

TEST_P(GroupedRows, RowsGoToTheBestInSharesOfTheirScores) {
  ThreadPool pool(2);
  constexpr int kRows = 300;
  constexpr int kAll = 33;
  constexpr int kUsed = 5;
  std::mt19937 random(3);
  std::vector<float> scores = random_floats(static_cast<std::size_t>(kRows) * kAll, random);
  for (float& score : scores) score = std::round(score * 20) / 4;  // with ties
  std::fill_n(scores.begin(), kAll, -3.0F);
  scores[kAll + 7] = std::nanf("");
  std::vector<std::int32_t> chosen(static_cast<std::size_t>(kRows) * kUsed);
  std::vector<float> shares(chosen.size());
  route(GetParam(), scores.data(), kRows, kAll, kUsed, chosen.data(), shares.data(), pool);
  for (int row = 0; row < kRows; ++row) {
    const float* own = &scores[static_cast<std::size_t>(row) * kAll];
    std::vector<std::int32_t> order(kAll);
    std::iota(order.begin(), order.end(), 0);
    if (row == 1) order.erase(order.begin() + 7);
    std::ranges::stable_sort(order, [own](int a, int b) { return own[a] > own[b]; });
    double sum = 0;
    for (int i = 0; i < kUsed; ++i) sum += std::exp(double{own[order[i]]});
    for (int i = 0; i < kUsed; ++i) {
      EXPECT_EQ(chosen[row * kUsed + i], order[i]) << row;
      EXPECT_NEAR(shares[row * kUsed + i], std::exp(double{own[order[i]]}) / sum, 1e-6) << row;
    }
    std::vector<std::int32_t> alone(kUsed);
    std::vector<float> shares_alone(kUsed);
    route(GetParam(), own, 1, kAll, kUsed, alone.data(), shares_alone.data(), pool);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &chosen[row * kUsed]));
    EXPECT_EQ(std::memcmp(shares_alone.data(), &shares[row * kUsed], sizeof(float) * kUsed), 0);
  }
  for (int i = 1; i < kUsed; ++i) EXPECT_EQ(shares[0], shares[i]);
}

TEST_P(GroupedRows, NotANumberIsTheLastChoice) {
  ThreadPool pool(1);
  const float nan = std::nanf("");
  const std::vector<float> scores = {nan, 1, nan, -2, nan};
  std::vector<std::int32_t> chosen(4);
  std::vector<float> shares(4);
  route(GetParam(), scores.data(), 1, 5, 4, chosen.data(), shares.data(), pool);
  EXPECT_EQ(chosen, (std::vector<std::int32_t>{1, 3, 0, 2}));
}

// The bits are those of multiply-adds in the order of the places, whatever else is computed.
TEST_P(GroupedRows, AreMixedInTheOrderOfTheirPlaces) {
  ThreadPool one(1);
  ThreadPool three(3);
  std::mt19937 random(4);
  constexpr int kRows = 40;
  constexpr int kUsed = 4;
  for (const int n : {1, 17, 576, 1300}) {
    const std::vector<float> x = random_floats(static_cast<std::size_t>(kRows) * kUsed * n, random);
    std::vector<std::int32_t> places(kRows * kUsed);
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), random);
    const std::vector<float> shares = random_floats(places.size(), random);
    std::vector<float> expected(static_cast<std::size_t>(kRows) * n, 0.0F);
    for (int row = 0; row < kRows; ++row) {
      for (int i = row * kUsed; i < (row + 1) * kUsed; ++i) {
        operator_kernels(GetParam())
            .add_scaled(&expected[static_cast<std::size_t>(row) * n],
                        &x[static_cast<std::size_t>(places[i]) * n], shares[i], n);
      }
    }
    for (ThreadPool* pool : {&one, &three}) {
      std::vector<float> out(expected.size(), 7.0F);
      mix_rows(GetParam(), x.data(), places.data(), shares.data(), kRows, kUsed, n, out.data(),
               *pool);
      EXPECT_TRUE(same_bits(out, expected)) << n;
    }
    for (int row = 0; row < kRows; ++row) {
      double sum = 0;
      for (int i = row * kUsed; i < (row + 1) * kUsed; ++i)
        sum += double{shares[i]} * x[static_cast<std::size_t>(places[i]) * n];
      EXPECT_NEAR(expected[static_cast<std::size_t>(row) * n], sum, 1e-4);
    }
  }
}

}  // namespace
}  // namespace redraft::kernels
