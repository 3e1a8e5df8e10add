#include "indexing/store/memory_datastore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

std::vector<Tokens> copied(const Continuations& found) {
  std::vector<Tokens> copies;
  for (const auto& tokens : found.tokens) copies.emplace_back(tokens.begin(), tokens.end());
  return copies;
}

// The contract, spelled out: one place of one text after the other.
std::vector<Tokens> after(const std::vector<Tokens>& texts, std::span<const TokenId> key,
                          int length) {
  std::vector<Tokens> found;
  for (const Tokens& text : texts) {
    for (std::size_t end = key.size(); end < text.size(); ++end) {
      const auto place = text.begin() + static_cast<std::ptrdiff_t>(end);
      if (!std::equal(key.begin(), key.end(), place - std::ssize(key))) continue;
      found.emplace_back(place, place + std::min<std::ptrdiff_t>(length, text.end() - place));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(MemoryDatastore, FindsWhatFollowsTheLongestSuffix) {
  const std::vector<Tokens> texts = {{1, 2, 3, 4, 5}, {9, 2, 3, 6}, {3, 4}};
  const MemoryDatastore store(texts);
  EXPECT_EQ(store.token_count(), 11U);
  const auto found = store.continuations(Tokens{7, 2, 3}, {.longest = 16, .shortest = 1});
  EXPECT_EQ(found.matched, 2);
  EXPECT_EQ(copied(found), (std::vector<Tokens>{{4, 5}, {6}}));
  EXPECT_EQ(store.continuations(Tokens{7, 8}, {.shortest = 1}).matched, 0);
}

TEST(MemoryDatastore, NeverGoesOnIntoTheNextText) {
  const std::vector<Tokens> texts = {{1, 2}, {3, 4}, {}, {1, 2, 3}};
  const MemoryDatastore store(texts);
  EXPECT_EQ(copied(store.continuations(Tokens{1, 2}, {})), (std::vector<Tokens>{{3}}));
  EXPECT_TRUE(store.continuations(Tokens{2, 3}, {}).tokens.empty());
  // 3 4 occurs only at the end of a text: nothing follows.
  EXPECT_EQ(store.continuations(Tokens{3, 4}, {.shortest = 1}).matched, 0);
}

TEST(MemoryDatastore, EqualsALookAtEveryPlace) {
  std::mt19937 random(2);
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const int vocabulary = between(1, 6);
    std::vector<Tokens> texts(between(0, 6));
    for (Tokens& text : texts) {
      text.resize(between(0, 40));
      for (TokenId& token : text) token = between(0, vocabulary - 1);
    }
    Tokens context(between(0, 12));
    for (TokenId& token : context) token = between(0, vocabulary);
    const int shortest = between(1, 3);
    const ContinuationQuery query{
        .longest = shortest + between(0, 8), .shortest = shortest, .length = between(1, 12)};
    const MemoryDatastore store(texts);
    const Continuations found = store.continuations(context, query);
    int longest = std::min<int>(query.longest, static_cast<int>(context.size()));
    std::vector<Tokens> expected;
    for (; longest >= shortest && expected.empty(); --longest) {
      expected = after(texts, std::span(context).last(longest), query.length);
    }
    ASSERT_EQ(found.matched, expected.empty() ? 0 : longest + 1) << "round " << round;
    ASSERT_EQ(copied(found), expected) << "round " << round;
  }
}

TEST(MemoryDatastore, TakesSomeOfManyAtEqualDistances) {
  std::vector<Tokens> texts;
  for (TokenId token = 0; token < 100; ++token) texts.push_back({1000, token < 75 ? 5 : token});
  const MemoryDatastore store(texts);
  const auto found = store.continuations(Tokens{1000}, {.shortest = 1, .most = 8});
  ASSERT_EQ(found.tokens.size(), 8U);
  const auto copies = copied(found);
  EXPECT_EQ(std::count(copies.begin(), copies.end(), Tokens{5}), 6) << "three quarters of all";
}

TEST(MemoryDatastore, AnEmptyOneFindsNothing) {
  EXPECT_EQ(MemoryDatastore({}).continuations(Tokens{1, 2, 3}, {}).matched, 0);
  const std::vector<Tokens> nothing(3);
  EXPECT_EQ(MemoryDatastore(nothing).continuations(Tokens{1, 2, 3}, {.shortest = 1}).matched, 0);
}

}  // namespace
}  // namespace redraft
