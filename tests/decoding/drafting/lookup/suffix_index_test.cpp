#include "decoding/drafting/lookup/suffix_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace redraft {
namespace {

SuffixIndex index_of(std::span<const TokenId> tokens) {
  SuffixIndex index;
  for (const TokenId token : tokens) index.append(token);
  return index;
}

TEST(SuffixIndex, FindsTheLongestEarlierMatchFirst) {
  const std::vector<TokenId> text = {1, 2, 3, 9, 2, 3, 8, 1, 2, 3};
  const auto matches = index_of(text).find_recent(text, 4);
  ASSERT_EQ(matches.size(), 2U);
  EXPECT_EQ(matches[0].next, 3);
  EXPECT_EQ(matches[0].length, 3);
  EXPECT_EQ(matches[1].next, 6);
  EXPECT_EQ(matches[1].length, 2);
}

TEST(SuffixIndex, TheMostRecentOfEqualMatchesComesFirst) {
  const std::vector<TokenId> text = {5, 1, 5, 2, 5, 3, 5};
  const auto matches = index_of(text).find_recent(text, 9);
  ASSERT_EQ(matches.size(), 3U);
  EXPECT_EQ(matches[0].next, 5);
  EXPECT_EQ(matches[1].next, 3);
  EXPECT_EQ(matches[2].next, 1);
}

TEST(SuffixIndex, TheNearestAheadOfEqualMatchesComesFirst) {
  const std::vector<TokenId> text = {5, 1, 5, 2, 5, 3, 5, 4};
  const auto matches = index_of(text).find_near(std::vector<TokenId>{9, 5}, 4, 9);
  ASSERT_EQ(matches.size(), 4U);
  EXPECT_EQ(matches[0].next, 5);
  EXPECT_EQ(matches[1].next, 7);
  EXPECT_EQ(matches[2].next, 3);
  EXPECT_EQ(matches[3].next, 1);
}

TEST(SuffixIndex, HasNothingWithoutText) {
  const std::vector<TokenId> text = {1, 2};
  EXPECT_TRUE(SuffixIndex().find_recent(text, 4).empty());
  EXPECT_TRUE(index_of(text).find_recent({}, 4).empty());
  EXPECT_TRUE(index_of(text).find_recent(text, 4).empty());
}

// Every match is what it claims. In short texts, where the number of candidates is not limited,
// none is longer than the first.
TEST(SuffixIndex, AgreesWithComparingEveryPlace) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::vector<TokenId> text(std::uniform_int_distribution<int>(0, 23)(random));
    const int vocabulary = std::uniform_int_distribution<int>(1, 4)(random);
    for (TokenId& token : text)
      token = std::uniform_int_distribution<TokenId>(0, vocabulary)(random);
    int longest = 0;
    const auto length_at = [&text](int next) {
      int length = 0;
      while (length < next && text[next - 1 - length] == text[text.size() - 1 - length]) ++length;
      return length;
    };
    for (int next = 1; next < static_cast<int>(text.size()); ++next)
      longest = std::max(longest, length_at(next));
    const int place = std::uniform_int_distribution<int>(0, 24)(random);
    for (const auto& matches :
         {index_of(text).find_recent(text, 3), index_of(text).find_near(text, place, 3)}) {
      for (const auto& match : matches) ASSERT_EQ(match.length, length_at(match.next));
      ASSERT_EQ(matches.empty() ? 0 : matches[0].length, longest) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace redraft
