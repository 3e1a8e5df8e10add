#include "decoding/drafting/redraft/sources/retrieved_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "indexing/store/memory_datastore.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

std::shared_ptr<const Datastore> store_of(const std::vector<Tokens>& texts) {
  return std::make_shared<MemoryDatastore>(texts);
}

constexpr GuessKind kFound("found", DraftOrigin::kRetrieval, WhenFirst::same(.5),
                           WhenLater::same(.5));
GuessKinds kinds;
const GuessKindId found = kinds.add(kFound);

std::vector<Guess> guesses_at(const RetrievedText& text, const RetrievedRange& range) {
  std::vector<Guess> guesses;
  text.add_guesses(range, guesses);
  return guesses;
}

TEST(RetrievedText, TheMostFrequentContinuationComesFirst) {
  RetrievedText text(store_of({{1, 2, 3, 7}, {1, 2, 4, 8}, {1, 2, 4, 9}, {1, 2, 5}}), found);
  text.search(Tokens{9, 1, 2});
  const auto guesses = guesses_at(text, text.all());
  ASSERT_EQ(guesses.size(), 3U);
  EXPECT_EQ(guesses[0].token, 4);
  EXPECT_EQ(guesses[0].kind, found);
  EXPECT_EQ(guesses[0].match, 1);  // half of a match of two
}

TEST(RetrievedText, ABranchContinuesWithMatchingText) {
  RetrievedText text(store_of({{1, 2, 3, 7}, {1, 2, 4, 8}, {1, 2, 4, 9, 6}}), found);
  text.search(Tokens{1, 2});
  const RetrievedRange after_4 = text.advance(text.all(), 4);
  EXPECT_EQ(guesses_at(text, after_4).size(), 2U);
  const RetrievedRange after_9 = text.advance(after_4, 9);
  ASSERT_EQ(guesses_at(text, after_9).size(), 1U);
  EXPECT_EQ(guesses_at(text, after_9)[0].token, 6);
  EXPECT_EQ(guesses_at(text, after_9)[0].match, 4);
  EXPECT_TRUE(guesses_at(text, text.advance(after_9, 6)).empty());
  EXPECT_TRUE(guesses_at(text, text.advance(after_4, 5)).empty());
  EXPECT_TRUE(guesses_at(text, text.advance(text.advance(after_4, 5), 8)).empty());
}

TEST(RetrievedText, FindsNothingWhereThereIsNothing) {
  RetrievedText none(nullptr, found);
  none.search(Tokens{1, 2});
  EXPECT_TRUE(guesses_at(none, none.all()).empty());
  RetrievedText text(store_of({{1, 2, 3}}), found);
  EXPECT_TRUE(guesses_at(text, text.all()).empty());
  text.search(Tokens{1, 2});
  EXPECT_EQ(guesses_at(text, text.all()).size(), 1U);
  text.clear();
  EXPECT_TRUE(guesses_at(text, text.all()).empty());
}

// Following any of the continuations never loses it.
TEST(RetrievedText, EveryContinuationCanBeWalkedToItsEnd) {
  std::mt19937 random(4);
  const auto below = [&random](int limit) {
    return std::uniform_int_distribution<int>(0, limit - 1)(random);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Tokens> texts(3);
    for (Tokens& each : texts) {
      for (int i = below(40) + 3; i > 0; --i) each.push_back(below(3));
    }
    const auto store = store_of(texts);
    const Tokens context = {below(3), below(3), below(3)};
    RetrievedText text(store, found);
    text.search(context);
    for (const auto& continuation : store->continuations(context, {.most = 256}).tokens) {
      RetrievedRange range = text.all();
      for (const TokenId token : continuation) {
        const auto guesses = guesses_at(text, range);
        EXPECT_TRUE(
            std::ranges::any_of(guesses, [&](const Guess& guess) { return guess.token == token; }))
            << "round " << round;
        range = text.advance(range, token);
      }
    }
  }
}

}  // namespace
}  // namespace redraft
