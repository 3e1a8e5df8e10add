#include "tuning/random_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace redraft {
namespace {

TEST(RandomStream, MasksKeepTheMeanAndDropTheShare) {
  for (const double dropout : {0.0, 0.1, 0.5, 0.9}) {
    std::vector<float> mask(100'000);
    RandomStream(3, 4).fill_mask(dropout, 0, mask);
    const auto dropped = std::count(mask.begin(), mask.end(), 0.0F);
    // Five standard deviations, at most 0.008.
    EXPECT_NEAR(static_cast<double>(dropped) / 1e5, dropout, 0.008);
    EXPECT_NEAR(std::accumulate(mask.begin(), mask.end(), 0.0) / 1e5, 1, 0.05);
    EXPECT_LE(std::set<float>(mask.begin(), mask.end()).size(), 2U);
  }
}

TEST(RandomStream, APartOfAMaskIsThatPart) {
  std::vector<float> whole(1003), part(515);
  RandomStream(3, 4).fill_mask(0.3, 0, whole);
  RandomStream(3, 4).fill_mask(0.3, 488, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 488));
}

TEST(RandomStream, StreamsDiffer) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::uint64_t number = 0; number < 10; ++number)
      for (std::uint64_t i = 0; i < 10; ++i) seen.insert(RandomStream(seed, number).bits(i));
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(RandomStream, PermutationsHaveEveryNumberOnce) {
  for (const std::size_t count : {0U, 1U, 100U}) {
    std::vector<std::size_t> order = RandomStream(1, 2).permutation(count);
    EXPECT_EQ(std::is_sorted(order.begin(), order.end()), count < 2) << count;
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(order[i], i);
  }
  // Every order of three comes up about equally often.
  std::vector<int> counts(27);
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const std::vector<std::size_t> order = RandomStream(seed, 0).permutation(3);
    ++counts[order[0] * 9 + order[1] * 3 + order[2]];
  }
  for (const int count : counts) EXPECT_TRUE(count == 0 || (count > 850 && count < 1150)) << count;
}

}  // namespace
}  // namespace redraft
