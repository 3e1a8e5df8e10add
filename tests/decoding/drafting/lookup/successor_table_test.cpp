#include "decoding/drafting/lookup/successor_table.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

using Successors = SuccessorTable::Successors;

void learn(SuccessorTable& table, const std::vector<TokenId>& drafted,
           const std::vector<TokenId>& predicted) {
  Predictions predictions;
  predictions.argmax = predicted;
  table.learn(DraftTree::chain(drafted, DraftOrigin::kCopy), predictions);
}

TEST(SuccessorTable, KnowsWhatTheTargetSaidAfterEachDraftedToken) {
  SuccessorTable table;
  EXPECT_EQ(table.after(5), nullptr);
  learn(table, {5, 6}, {1, 50, 60});
  ASSERT_NE(table.after(5), nullptr);
  EXPECT_EQ(*table.after(5), (Successors{50, -1}));
  EXPECT_EQ(*table.after(6), (Successors{60, -1}));
  EXPECT_EQ(table.after(1), nullptr);
}

TEST(SuccessorTable, TheMostRecentComesFirst) {
  SuccessorTable table;
  learn(table, {5}, {0, 50});
  learn(table, {5}, {0, 51});
  EXPECT_EQ(*table.after(5), (Successors{51, 50}));
  learn(table, {5}, {0, 50});
  EXPECT_EQ(*table.after(5), (Successors{50, 51}));
  learn(table, {5}, {0, 52});
  EXPECT_EQ(*table.after(5), (Successors{52, 50}));
}

TEST(SuccessorTable, StaysBounded) {
  SuccessorTable table;
  for (TokenId token = 0; token < 100'000; ++token) learn(table, {token}, {0, token + 1});
  EXPECT_EQ(table.after(0), nullptr);
  EXPECT_EQ(*table.after(99'999), (Successors{100'000, -1}));
}

}  // namespace
}  // namespace redraft
