#include "decoding/drafting/redraft/sources/substitutions.h"

#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

Tokens copy(std::span<const TokenId> tokens) { return {tokens.begin(), tokens.end()}; }

TEST(Substitutions, ApplyWhereTheOriginalHasTheSameAgain) {
  Substitutions substitutions(nullptr);
  substitutions.learn(Tokens{5, 6}, Tokens{7});
  const int found = substitutions.applicable(Tokens{5, 6, 9});
  ASSERT_GE(found, 0);
  EXPECT_EQ(copy(substitutions.from(found)), (Tokens{5, 6}));
  EXPECT_EQ(copy(substitutions.to(found)), Tokens{7});
  EXPECT_EQ(substitutions.applicable(Tokens{5, 9}), -1);
  EXPECT_EQ(substitutions.applicable(Tokens{5}), -1);
  EXPECT_EQ(substitutions.applicable({}), -1);
}

TEST(Substitutions, DoesNotReplaceWhatBothSidesOfAHunkShare) {
  Substitutions substitutions(nullptr);
  substitutions.learn(Tokens{1, 2, 3, 4, 5}, Tokens{1, 20, 21, 3, 4, 50});
  EXPECT_EQ(substitutions.applicable(Tokens{1}), -1);
  EXPECT_EQ(substitutions.applicable(Tokens{3}), -1);
  EXPECT_EQ(copy(substitutions.to(substitutions.applicable(Tokens{2, 8}))), (Tokens{20, 21}));
  EXPECT_EQ(copy(substitutions.to(substitutions.applicable(Tokens{5, 8}))), Tokens{50});
}

TEST(Substitutions, InsertionsDeletionsAndLongHunksAreNone) {
  Substitutions substitutions(nullptr);
  substitutions.learn(Tokens{1, 2}, Tokens{1, 9, 2});
  substitutions.learn(Tokens{1, 9, 2}, Tokens{1, 2});
  substitutions.learn({}, Tokens{4});
  substitutions.learn(Tokens{4}, {});
  substitutions.learn(Tokens(9, 6), Tokens(9, 7));
  substitutions.learn(Tokens(60, 6), Tokens{7});
  for (const TokenId token : {1, 2, 4, 6, 9})
    EXPECT_EQ(substitutions.applicable(Tokens(60, token)), -1) << token;
}

TEST(Substitutions, TheLongestAppliesAndTheLatestReplaces) {
  Substitutions substitutions(nullptr);
  substitutions.learn(Tokens{5}, Tokens{50});
  substitutions.learn(Tokens{5, 6}, Tokens{56});
  EXPECT_EQ(copy(substitutions.to(substitutions.applicable(Tokens{5, 6}))), Tokens{56});
  EXPECT_EQ(copy(substitutions.to(substitutions.applicable(Tokens{5, 7}))), Tokens{50});
  substitutions.learn(Tokens{5}, Tokens{51});
  EXPECT_EQ(copy(substitutions.to(substitutions.applicable(Tokens{5, 7}))), Tokens{51});
}

TEST(Substitutions, EvidenceDecidesHowStrongTheyAre) {
  Substitutions substitutions(nullptr);
  substitutions.learn(Tokens{5}, Tokens{7});
  const int found = substitutions.applicable(Tokens{5});
  EXPECT_EQ(substitutions.strength(found), 1);
  substitutions.confirm(found);
  substitutions.learn(Tokens{5}, Tokens{7});
  EXPECT_EQ(substitutions.strength(found), 3);
  substitutions.contradict(found);
  EXPECT_EQ(substitutions.strength(found), 2);
  Substitutions once(nullptr);
  once.learn(Tokens{5}, Tokens{7});
  once.contradict(once.applicable(Tokens{5}));
  EXPECT_EQ(once.strength(once.applicable(Tokens{5})), 0);
}

TEST(Substitutions, AReplacedWordIsKnownInEverySpelling) {
  const auto tokenizer =
      word_tokenizer({".size", " size", "(size", "size", ".width", " width", "(width", "width"});
  Substitutions substitutions(tokenizer.get());
  substitutions.learn(tokenizer->encode("a.size"), tokenizer->encode("a.width"));
  for (const std::string before : {"", " ", ".", "("}) {
    const Tokens text = tokenizer->encode(before + "size+1");
    ASSERT_EQ(tokenizer->bytes(text[0]), before + "size");
    const int found = substitutions.applicable(text);
    ASSERT_GE(found, 0) << before;
    EXPECT_EQ(tokenizer->decode(substitutions.to(found)), before + "width");
  }
  // They are one replacement: evidence for one spelling counts for all.
  substitutions.confirm(substitutions.applicable(tokenizer->encode(" size")));
  EXPECT_EQ(substitutions.strength(substitutions.applicable(tokenizer->encode("(size"))), 2);
}

TEST(Substitutions, OnlyWordsAreSpeltInOtherWays) {
  const auto tokenizer = word_tokenizer({".1", " 1", ".2", " 2"});
  Substitutions substitutions(tokenizer.get());
  substitutions.learn(tokenizer->encode(".1"), tokenizer->encode(".2"));
  EXPECT_EQ(substitutions.applicable(tokenizer->encode(" 1")), -1);
}

}  // namespace
}  // namespace redraft
