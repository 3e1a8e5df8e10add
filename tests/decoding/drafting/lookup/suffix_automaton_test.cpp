#include "decoding/drafting/lookup/suffix_automaton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>

namespace redraft {
namespace {

using Next = SuffixAutomaton::Next;

std::vector<Next> next_after(const SuffixAutomaton& text, std::span<const TokenId> sequence,
                             int most) {
  SuffixAutomaton::Cursor cursor;
  for (const TokenId token : sequence) cursor = text.advance(cursor, token);
  std::vector<Next> found;
  text.find_next(cursor, most, found);
  return found;
}

SuffixAutomaton automaton_of(std::span<const TokenId> tokens) {
  SuffixAutomaton text;
  for (const TokenId token : tokens) text.append(token);
  return text;
}

// Every token that followed a suffix of `sequence`, by its longest match, found by comparing.
std::map<TokenId, int> matches_by_comparing(std::span<const TokenId> text,
                                            std::span<const TokenId> sequence) {
  std::map<TokenId, int> longest;
  for (std::size_t next = 1; next < text.size(); ++next) {
    std::size_t length = 0;
    while (length < std::min(next, sequence.size()) &&
           text[next - 1 - length] == sequence[sequence.size() - 1 - length])
      ++length;
    if (length > 0) longest[text[next]] = std::max(longest[text[next]], static_cast<int>(length));
  }
  return longest;
}

std::vector<TokenId> random_text(std::mt19937& random, int longest, int vocabulary) {
  std::vector<TokenId> text(std::uniform_int_distribution<std::size_t>(0, longest)(random));
  for (TokenId& token : text)
    token = std::uniform_int_distribution<TokenId>(-1, vocabulary)(random);
  return text;
}

TEST(SuffixAutomaton, TheLongestMatchComesFirstThenTheMostRecent) {
  const std::vector<TokenId> text = {1, 2, 3, 9, 2, 3, 8, 3, 7, 3, 6};
  const auto found = next_after(automaton_of(text), std::vector<TokenId>{5, 1, 2, 3}, 9);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].token, 9);
  EXPECT_EQ(found[0].length, 3);
  EXPECT_EQ(found[1].token, 8);
  EXPECT_EQ(found[1].length, 2);
  EXPECT_EQ(found[2].token, 6);
  EXPECT_EQ(found[2].last, 10);
  EXPECT_EQ(found[3].token, 7);
  EXPECT_EQ(next_after(automaton_of(text), std::vector<TokenId>{5, 1, 2, 3}, 2).size(), 2U);
}

TEST(SuffixAutomaton, CountsAndRemembersTheLastTime) {
  const std::vector<TokenId> text = {4, 5, 4, 6, 4, 5, 0};
  const auto found = next_after(automaton_of(text), std::vector<TokenId>{4}, 9);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].token, 5);
  EXPECT_EQ(found[0].count, 2);
  EXPECT_EQ(found[0].last, 5);
  EXPECT_EQ(found[1].count, 1);
}

TEST(SuffixAutomaton, HasNothingWithoutAMatch) {
  EXPECT_TRUE(next_after(SuffixAutomaton(), std::vector<TokenId>{1, 2}, 4).empty());
  const std::vector<TokenId> text = {1, 2};
  EXPECT_TRUE(next_after(automaton_of(text), std::vector<TokenId>{2}, 4).empty());
  EXPECT_TRUE(next_after(automaton_of(text), std::vector<TokenId>{3}, 4).empty());
  EXPECT_TRUE(next_after(automaton_of(text), {}, 4).empty());
}

// Grown token by token: at any time it knows what comparing every place finds.
TEST(SuffixAutomaton, AgreesWithComparingEveryPlace) {
  std::mt19937 random(6);
  for (int round = 0; round < 1500; ++round) {
    const int vocabulary = std::uniform_int_distribution<int>(0, 6)(random);
    const std::vector<TokenId> text = random_text(random, 40, vocabulary);
    const std::vector<TokenId> sequence = random_text(random, 12, vocabulary);
    SuffixAutomaton grown;
    for (std::size_t size = 0; size <= text.size(); ++size) {
      if (size > 0) grown.append(text[size - 1]);
      const auto known = std::span(text).first(size);
      const auto expected = matches_by_comparing(known, sequence);
      const std::vector<Next> found = next_after(grown, sequence, 100);
      ASSERT_EQ(found.size(), expected.size()) << "round " << round;
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].length, expected.at(found[i].token)) << "round " << round;
        ASSERT_EQ(text[static_cast<std::size_t>(found[i].last)], found[i].token);
        ASSERT_TRUE(i == 0 || found[i - 1].length >= found[i].length);
      }
      const auto at_end = matches_by_comparing(known, known);
      std::vector<Next> from_end;
      grown.find_next(grown.end(), 100, from_end);
      ASSERT_EQ(from_end.size(), at_end.size());
    }
  }
}

TEST(SuffixAutomaton, TakesAtMostAHundredBytesAToken) {
  std::mt19937 random(7);
  for (const int vocabulary : {2, 50, 5000}) {
    SuffixAutomaton text;
    std::vector<TokenId> written;
    for (int i = 0; i < 100'000; ++i) {
      // Half of it repeats what came before, as code does.
      const bool repeat = !written.empty() && i % 40 >= 20;
      const TokenId token =
          repeat ? written[(static_cast<std::size_t>(i) * 7919 / 20 * 20 + i % 20) % written.size()]
                 : std::uniform_int_distribution<TokenId>(0, vocabulary)(random);
      written.push_back(token);
      text.append(token);
    }
    EXPECT_LE(text.bytes(), 100U * 100'000) << vocabulary;
  }
}

}  // namespace
}  // namespace redraft
