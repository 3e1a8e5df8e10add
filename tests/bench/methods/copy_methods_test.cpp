// The rules of prompt lookup and CopySpec, one example each, and the places in which they search.
#include <gtest/gtest.h>

#include <random>

#include "bench/methods/copyspec.h"
#include "bench/methods/first_places.h"
#include "bench/methods/prompt_lookup.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;

Tokens drafted(DraftSource& source, const Tokens& context, int limit = kNoLimit) {
  const DraftTree draft = source.draft(context, limit);
  EXPECT_TRUE(draft.is_chain());
  return {draft.tokens().begin(), draft.tokens().end()};
}

Tokens copied(int gamma, int tokens, const Tokens& context) {
  CopySpecSource source(gamma, tokens, nullptr);
  return drafted(source, context);
}

Tokens looked_up(int longest, int tokens, const Tokens& context) {
  PromptLookupSource source(longest, tokens);
  return drafted(source, context);
}

TEST(FirstPlaces, EqualsALookFromTheBeginning) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const int length = 1 + round % 4;
    FirstPlaces places(length);
    Tokens text;
    while (text.size() < 60) {
      for (int i = static_cast<int>(random() % 4); i >= 0; --i)
        text.push_back(static_cast<TokenId>(random() % 3));
      places.absorb(text);
      if (std::ssize(text) < length) {
        ASSERT_EQ(places.of_end(text), std::nullopt);
        continue;
      }
      const auto first = std::search(text.begin(), text.end(), text.end() - length, text.end());
      ASSERT_EQ(places.of_end(text), static_cast<std::size_t>(first - text.begin()));
    }
  }
}

TEST(CopySpec, CopiesWhatFollowedTheFirstOfSeveralPlaces) {
  EXPECT_EQ(copied(3, 2, {1, 2, 3, 70, 71, 1, 2, 3, 80, 81, 1, 2, 3}), (Tokens{70, 71}));
}

TEST(CopySpec, NeedsAllOfGammaAndNoMore) {
  const Tokens context = {1, 2, 3, 70, 71, 72, 9, 2, 3};
  EXPECT_EQ(copied(3, 10, context), Tokens());
  EXPECT_EQ(copied(2, 3, context), (Tokens{70, 71, 72}));
}

TEST(CopySpec, TakesNoPlaceThatOverlapsTheEnd) {
  EXPECT_EQ(copied(3, 10, {5, 5, 5, 5}), Tokens()) << "places 0 and 1 overlap";
  EXPECT_EQ(copied(3, 10, {5, 5, 5, 5, 5}), Tokens());
  EXPECT_EQ(copied(3, 10, {5, 5, 5, 5, 5, 5}), (Tokens{5, 5, 5})) << "0..2 and 3..5 do not";
}

TEST(CopySpec, EndsWithTheContextAndTheLimit) {
  const Tokens context = {1, 2, 8, 1, 2};
  EXPECT_EQ(copied(2, 10, context), (Tokens{8, 1, 2}));
  CopySpecSource source(2, 10, nullptr);
  EXPECT_EQ(drafted(source, context, 2), (Tokens{8, 1}));
}

// The paper's measure of what the search alone costs (its table 4).
TEST(CopySpec, CopiesNothingIfItIsToCopyNoToken) {
  EXPECT_EQ(copied(2, 0, {1, 2, 8, 1, 2}), Tokens());
}

// Drafts the same token whatever the context.
class Always : public DraftSource {
 public:
  DraftTree draft(std::span<const TokenId>, int) override {
    return DraftTree::chain(Tokens{42}, DraftOrigin::kModel);
  }
};

TEST(CopySpec, AsksTheDraftModelWhereThereIsNothingToCopy) {
  CopySpecSource source(2, 10, std::make_unique<Always>());
  EXPECT_EQ(drafted(source, {1, 2, 8}), Tokens{42});
  EXPECT_EQ(drafted(source, {1, 2, 8, 1, 2}), (Tokens{8, 1, 2}));
}

TEST(PromptLookup, PrefersMoreTokensAndThenTheFirstPlace) {
  const Tokens context = {3, 50, 51, 2, 3, 60, 61, 2, 3, 70, 71, 2, 3};
  EXPECT_EQ(looked_up(3, 2, context), (Tokens{60, 61})) << "2 3, not the earlier 3 alone";
  EXPECT_EQ(looked_up(1, 2, context), (Tokens{50, 51}));
}

TEST(PromptLookup, TriesFewerTokensIfLongerEndsDoNotOccur) {
  EXPECT_EQ(looked_up(3, 2, {3, 50, 51, 7, 8, 3}), (Tokens{50, 51}));
  EXPECT_EQ(looked_up(3, 2, {1, 2, 3, 4}), Tokens());
}

TEST(PromptLookup, TakesNoPlaceWithoutAWholeDraftAfterIt) {
  const Tokens context = {1, 2, 3, 4, 1};
  EXPECT_EQ(looked_up(1, 4, context), (Tokens{2, 3, 4, 1}));
  EXPECT_EQ(looked_up(1, 5, context), Tokens());
}

}  // namespace
}  // namespace redraft
