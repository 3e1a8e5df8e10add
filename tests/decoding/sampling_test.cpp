// What is drawn from a row of logits, against a softmax that is computed the plain way.
#include "decoding/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace redraft {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<double> softmax(const std::vector<float>& logits, double temperature = 1) {
  const double most = *std::ranges::max_element(logits);
  std::vector<double> shares;
  for (const float logit : logits) shares.push_back(std::exp((logit - most) / temperature));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

// By the definition: ranks all, adds up until the share is reached, drops the rest.
std::vector<double> nucleus(std::vector<double> shares, double top_p) {
  std::vector<std::size_t> ranked(shares.size());
  std::iota(ranked.begin(), ranked.end(), 0);
  std::ranges::stable_sort(ranked, [&](auto a, auto b) { return shares[a] > shares[b]; });
  double sum = 0;
  std::vector<double> kept(shares.size(), 0);
  for (const std::size_t i : ranked) {
    kept[i] = shares[i];
    sum += shares[i];
    if (sum >= top_p) break;
  }
  for (double& share : kept) share /= sum;
  return kept;
}

// The same for all options that cut: one after the other, each on what the one before left.
std::vector<double> cut_shares(std::vector<double> shares, const SamplingOptions& options) {
  std::vector<double> sorted = shares;
  std::ranges::sort(sorted, std::greater());
  if (options.top_k > 0 && options.top_k < static_cast<int>(sorted.size())) {
    const double least = sorted[static_cast<std::size_t>(options.top_k) - 1];
    double sum = 0;
    for (double& share : shares) sum += share = share < least ? 0 : share;
    for (double& share : shares) share /= sum;
  }
  std::vector<double> kept = nucleus(shares, options.top_p);
  const double floor = options.min_p * *std::ranges::max_element(kept);
  double sum = 0;
  for (double& share : kept) sum += share = share < floor ? 0 : share;
  for (double& share : kept) share /= sum;
  return kept;
}

std::vector<float> random_logits(std::uint32_t seed, int count, float spread) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> logits(static_cast<std::size_t>(count));
  for (float& logit : logits) logit = normal(random);
  return logits;
}

// The share of evenly spread numbers that draw each token.
std::vector<double> drawn_shares(const std::vector<float>& logits, const SamplingOptions& options,
                                 int numbers) {
  std::vector<double> shares(logits.size(), 0), weights;
  for (int i = 0; i < numbers; ++i) {
    const TokenId token = draw_token(logits, options, (i + 0.5) / numbers, weights);
    shares[static_cast<std::size_t>(token)] += 1.0 / numbers;
  }
  return shares;
}

TEST(Sampling, DrawsWhatTheSoftmaxSays) {
  constexpr int kNumbers = 3000;
  for (const double temperature : {0.05, 0.3, 1.0, 1.7, 2.0}) {
    for (const double top_p : {0.0, 0.1, 0.5, 0.9, 0.999, 1.0}) {
      for (std::uint32_t seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(testing::Message() << temperature << ", " << top_p << ", seed " << seed);
        const auto logits = random_logits(seed, seed < 2 ? 7 : 300, seed % 2 == 0 ? 1 : 5);
        const auto expected = nucleus(softmax(logits, temperature), top_p);
        const auto drawn = drawn_shares(logits, {temperature, top_p, 0}, kNumbers);
        for (std::size_t token = 0; token < logits.size(); ++token) {
          ASSERT_NEAR(drawn[token], expected[token], 1.5 / kNumbers) << "token " << token;
          ASSERT_EQ(drawn[token] > 0 && expected[token] == 0, false) << "token " << token;
        }
      }
    }
  }
}

TEST(Sampling, DrawsFromAsManyTokensAsTopKAndMinPLeave) {
  constexpr int kNumbers = 3000;
  for (const int top_k : {0, 1, 2, 5, 40, 1000}) {
    for (const double min_p : {0.0, 0.05, 0.4, 1.0}) {
      for (const double top_p : {0.0, 0.8, 1.0}) {
        const std::uint32_t seed = static_cast<std::uint32_t>(top_k) + 3;
        SCOPED_TRACE(testing::Message() << top_k << ", " << min_p << ", " << top_p);
        const SamplingOptions options{
            .temperature = 0.8, .top_p = top_p, .top_k = top_k, .min_p = min_p};
        const auto logits = random_logits(seed, 300, 2);
        const auto expected = cut_shares(softmax(logits, options.temperature), options);
        const auto drawn = drawn_shares(logits, options, kNumbers);
        for (std::size_t token = 0; token < logits.size(); ++token) {
          ASSERT_NEAR(drawn[token], expected[token], 1.5 / kNumbers) << "token " << token;
          ASSERT_EQ(drawn[token] > 0 && expected[token] == 0, false) << "token " << token;
        }
      }
    }
  }
}

TEST(Sampling, TopKKeepsLowerIdsAmongEquallyLikelyTokens) {
  const std::vector<float> logits = {1, 2, 2, 2, kNaN};
  const auto drawn = drawn_shares(logits, {.temperature = 1, .top_k = 2}, 1000);
  EXPECT_NEAR(drawn[1], 0.5, 1e-3);
  EXPECT_NEAR(drawn[2], 0.5, 1e-3);
  EXPECT_GT(drawn_shares(logits, {.temperature = 1, .top_k = 5}, 1000)[0], 0);
}

TEST(Sampling, ATopKOfTheWholeVocabularyChangesNothing) {
  // Half of the tokens are so unlikely that top-p = 0.5 excludes them without sorting.
  std::vector<float> logits(200, 0);
  for (std::size_t i = 0; i < logits.size(); i += 2) logits[i] = std::log(0.3F);
  std::vector<double> weights;
  for (const double top_p : {0.0, 0.3, 0.5, 0.95, 1.0}) {
    for (const double min_p : {0.0, 0.2, 0.5}) {
      for (int n = 0; n < 500; ++n) {
        const auto draw = [&](int top_k) {
          return draw_token(logits,
                            {.temperature = 1, .top_p = top_p, .top_k = top_k, .min_p = min_p},
                            (n + 0.5) / 500, weights);
        };
        const TokenId drawn = draw(0);
        for (const int top_k : {200, 201, INT32_MAX})
          ASSERT_EQ(draw(top_k), drawn) << top_k << ", " << top_p << ", " << min_p << ", " << n;
      }
    }
  }
}

TEST(Sampling, NumbersDrawInTheOrderOfIds) {
  const std::vector<float> logits = {0, std::log(2.0F), 0};  // a quarter, a half, a quarter
  std::vector<double> weights;
  const auto drawn = [&](double number) {
    return draw_token(logits, {.temperature = 1}, number, weights);
  };
  EXPECT_EQ(drawn(0), 0);
  EXPECT_EQ(drawn(0.2499), 0);
  EXPECT_EQ(drawn(0.2501), 1);
  EXPECT_EQ(drawn(0.7499), 1);
  EXPECT_EQ(drawn(0.7501), 2);
  EXPECT_EQ(drawn(1 - 0x1p-53), 2);
}

TEST(Sampling, KeepsLowerIdsAmongEquallyLikelyTokens) {
  const std::vector<float> logits = {1, 2, 2, 2, 1};
  EXPECT_EQ(likeliest_token(logits), 1);
  const auto drawn = drawn_shares(logits, {1, 0.5, 0}, 1000);
  EXPECT_GT(drawn[1], 0);
  EXPECT_GT(drawn[2], 0);
  EXPECT_NEAR(drawn[1] + drawn[2], 1, 1e-9) << "two of them are half";
  EXPECT_NEAR(drawn_shares(logits, {1, 0, 0}, 100)[1], 1, 1e-9) << "the likeliest alone";
  const std::vector<float> equal(1000, 3.0F);
  for (const double top_p : {0.0, 0.3, 1.0}) {
    const auto shares = drawn_shares(equal, {1, top_p, 0}, 2000);
    const auto kept = std::ranges::count_if(shares, [](double share) { return share > 0; });
    EXPECT_EQ(kept, std::max(1.0, 1000 * top_p));
    EXPECT_GT(shares[0], 0);
  }
}

TEST(Sampling, GreedyIsTheLikeliestTokenWhateverTheNumber) {
  std::vector<double> weights;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto logits = random_logits(seed, 100, 2);
    for (const double number : {0.0, 0.5, 0.999}) {
      EXPECT_EQ(draw_token(logits, {0, 0.7, 3}, number, weights), likeliest_token(logits));
      EXPECT_EQ(draw_token(logits, {1e-300, 1, 3}, number, weights), likeliest_token(logits))
          << "as cold as a number can say";
    }
  }
}

TEST(Sampling, NeverDrawsNaN) {
  std::vector<double> weights;
  const std::vector<float> logits = {kNaN, 1, -kInfinity, 1, kNaN};
  EXPECT_EQ(likeliest_token(logits), 1);
  for (const double top_p : {0.4, 1.0}) {
    for (int i = 0; i < 100; ++i) {
      const TokenId token = draw_token(logits, {1, top_p, 0}, i / 100.0, weights);
      EXPECT_TRUE(token == 1 || token == 3) << token;
    }
  }
  EXPECT_NEAR(log_probability_of(3, logits, 0).log_probability, std::log(0.5), 1e-15);
  EXPECT_EQ(draw_token(std::vector<float>{1, kInfinity, 2}, {1, 1, 0}, 0.1, weights), 1);
  EXPECT_EQ(draw_token(std::vector<float>{kNaN, kNaN}, {1, 1, 0}, 0.9, weights), 0);
}

TEST(Sampling, LogProbabilitiesAreThoseOfTheSoftmax) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto logits = random_logits(seed, 200, 4);
    const auto shares = softmax(logits);
    std::vector<TokenId> ranked(logits.size());
    std::iota(ranked.begin(), ranked.end(), 0);
    std::ranges::stable_sort(ranked, [&](TokenId a, TokenId b) {
      return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
    });
    for (const int count : {0, 1, 5, kMaxLikeliest}) {
      const TokenId token = static_cast<TokenId>(seed * 7);
      const EmittedLogProbability found = log_probability_of(token, logits, count);
      EXPECT_NEAR(found.log_probability, std::log(shares[static_cast<std::size_t>(token)]), 1e-12);
      ASSERT_EQ(found.likeliest.size(), static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < found.likeliest.size(); ++i) {
        EXPECT_EQ(found.likeliest[i].token, ranked[i]);
        EXPECT_NEAR(found.likeliest[i].log_probability,
                    std::log(shares[static_cast<std::size_t>(ranked[i])]), 1e-12);
      }
    }
  }
  const EmittedLogProbability all = log_probability_of(0, std::vector<float>{2, 1, 2}, 20);
  ASSERT_EQ(all.likeliest.size(), 3U) << "no more than there are";
  EXPECT_EQ(all.likeliest[0].token, 0);
  EXPECT_EQ(all.likeliest[1].token, 2);
  EXPECT_EQ(all.likeliest[0].log_probability, all.log_probability);
}

TEST(RandomNumber, IsAFunctionOfSeedAndIndexThatStays) {
  EXPECT_EQ(random_number(0, 0), 0x1.c4415072f63b9p-1);
  EXPECT_EQ(random_number(1, 0), 0x1.7fdf0061bb85ap-1);
  EXPECT_EQ(random_number(0, 1), 0x1.b9e279aa86e58p-2);
  EXPECT_EQ(random_number(~std::uint64_t{0}, 12345), 0x1.c946bbc1041e0p-1);
}

// Over seeds for one index, over indexes for one seed, and over both: all cells are equally full.
TEST(RandomNumber, IsEvenlySpread) {
  constexpr int kCells = 64, kPerCell = 500;
  const auto chi_square = [](const auto& number) {
    std::vector<int> cells(kCells, 0);
    for (std::uint64_t i = 0; i < kCells * kPerCell; ++i) {
      const double value = number(i);
      EXPECT_GE(value, 0);
      EXPECT_LT(value, 1);
      ++cells[static_cast<std::size_t>(value * kCells)];
    }
    double sum = 0;
    for (const int cell : cells) sum += std::pow(cell - kPerCell, 2) / kPerCell;
    return sum;
  };
  constexpr double kMost = 115;  // of 63 degrees of freedom: one in 10^4 is above
  EXPECT_LT(chi_square([](std::uint64_t i) { return random_number(i, 0); }), kMost);
  EXPECT_LT(chi_square([](std::uint64_t i) { return random_number(7, i); }), kMost);
  EXPECT_LT(chi_square([](std::uint64_t i) { return random_number(i, i); }), kMost);
  EXPECT_LT(chi_square([](std::uint64_t i) {
              return std::fmod(random_number(i, 0) - random_number(i, 1) + 1, 1);
            }),
            kMost)
      << "neighbours do not depend on each other";
  EXPECT_LT(chi_square([](std::uint64_t i) {
              return std::fmod(random_number(i, 3) - random_number(i + 1, 3) + 1, 1);
            }),
            kMost);
}

TEST(Sampling, ValuesOutOfRangeAreNamed) {
  EXPECT_TRUE(check(SamplingOptions{}));
  EXPECT_TRUE(check({2, 0, 1}));
  const auto message = [](const SamplingOptions& options) {
    const Result<void> checked = check(options);
    return checked ? std::string() : checked.error().message();
  };
  EXPECT_NE(message({-0.1, 1, 0}).find("temperature of -0.1"), std::string::npos);
  EXPECT_NE(message({2.5, 1, 0}).find("0 (greedy) to 2"), std::string::npos);
  EXPECT_NE(message({std::nan(""), 1, 0}).find("temperature of nan"), std::string::npos);
  EXPECT_NE(message({1, 1.01, 0}).find("top-p of 1.01"), std::string::npos);
  EXPECT_NE(message({1, -1, 0}).find("top-p of -1"), std::string::npos);
  EXPECT_NE(message({.top_k = -1}).find("top-k of -1"), std::string::npos);
  EXPECT_NE(message({.min_p = 2}).find("min-p of 2"), std::string::npos);
  EXPECT_FALSE(check({1, std::nan(""), 0}));
}

}  // namespace
}  // namespace redraft
