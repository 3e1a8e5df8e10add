#include "indexing/store/suffix_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace redraft {
namespace {

std::vector<std::int32_t> sorted_by_comparison(const std::vector<std::int32_t>& text) {
  std::vector<std::int32_t> suffixes(text.size());
  std::iota(suffixes.begin(), suffixes.end(), 0);
  std::sort(suffixes.begin(), suffixes.end(), [&](std::int32_t a, std::int32_t b) {
    return std::lexicographical_compare(text.begin() + a, text.end(), text.begin() + b, text.end());
  });
  return suffixes;
}

TEST(SuffixArray, IsTheOrderOfTheSuffixes) {
  std::mt19937 random(1);
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    const int alphabet = between(1, round % 2 ? 3 : 200);
    std::vector<std::int32_t> text(between(0, 120));
    for (auto& symbol : text) symbol = between(0, alphabet - 1);
    if (round % 5 == 0 && !text.empty()) {  // the same piece over and over
      const int period = between(1, static_cast<int>(text.size()));
      for (std::size_t i = period; i < text.size(); ++i) text[i] = text[i - period];
    }
    ASSERT_EQ(suffix_array(text, alphabet), sorted_by_comparison(text)) << "round " << round;
  }
}

TEST(SuffixArray, SortsATextOfOneSymbol) {
  const std::vector<std::int32_t> text(1'000'000, 7);
  const auto suffixes = suffix_array(text, 151'936);
  ASSERT_EQ(suffixes.size(), text.size());
  for (std::size_t i = 0; i < suffixes.size(); ++i) {
    ASSERT_EQ(suffixes[i], static_cast<std::int32_t>(text.size() - 1 - i));
  }
}

}  // namespace
}  // namespace redraft
