#include "decoding/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redraft {
namespace {

using testing::ElementsAre;

// Remembers what moved where.
struct Moves : KvStorage {
  explicit Moves(std::vector<std::pair<int, int>>& seen) : log(seen) {}
  void move_slot(int from, int to) override { log.emplace_back(from, to); }
  std::vector<std::pair<int, int>>& log;
};

std::vector<TokenId> tokens_of(const KvCache& cache) {
  return {cache.tokens().begin(), cache.tokens().end()};
}

TEST(KvCache, CommitsTheContextAndLeavesTheDraftInFlight) {
  KvCache cache(8, nullptr);
  cache.append(std::vector<TokenId>{1, 2},
               DraftTree::chain(std::vector<TokenId>{3, 4}, DraftOrigin::kReuse));
  EXPECT_THAT(tokens_of(cache), ElementsAre(1, 2));
  cache.keep(std::vector<int>{0});
  EXPECT_THAT(tokens_of(cache), ElementsAre(1, 2, 3));
  cache.append(std::vector<TokenId>{5}, DraftTree());
  EXPECT_THAT(tokens_of(cache), ElementsAre(1, 2, 3, 5));
}

TEST(KvCache, MovesAnAcceptedBranchDownToTheCommittedSlots) {
  std::vector<std::pair<int, int>> moves;
  KvCache cache(16, std::make_unique<Moves>(moves));
  DraftTree draft;
  draft.add(10, -1, DraftOrigin::kReuse);
  const int branch = draft.add(11, -1, DraftOrigin::kCopy);
  draft.add(12, 0, DraftOrigin::kReuse);
  const int leaf = draft.add(13, branch, DraftOrigin::kCopy);
  cache.append(std::vector<TokenId>{1, 2, 3}, draft);
  cache.keep(std::vector<int>{branch, leaf});
  EXPECT_THAT(tokens_of(cache), ElementsAre(1, 2, 3, 11, 13));
  EXPECT_THAT(moves, ElementsAre(std::pair(4, 3), std::pair(6, 4)));
}

TEST(KvCache, AKeptChainMovesNothing) {
  std::vector<std::pair<int, int>> moves;
  KvCache cache(16, std::make_unique<Moves>(moves));
  cache.append(std::vector<TokenId>{1},
               DraftTree::chain(std::vector<TokenId>{2, 3, 4}, DraftOrigin::kReuse));
  cache.keep(std::vector<int>{0, 1, 2});
  EXPECT_TRUE(moves.empty());
  EXPECT_EQ(cache.length(), 4);
}

TEST(KvCache, TruncatesToWhatTwoSequencesShare) {
  KvCache cache(8, nullptr);
  cache.append(std::vector<TokenId>{1, 2, 3, 4}, DraftTree());
  EXPECT_EQ(cache.truncate_to_common_prefix(std::vector<TokenId>{1, 2, 9, 4, 5}), 2);
  EXPECT_THAT(tokens_of(cache), ElementsAre(1, 2));
  EXPECT_EQ(cache.truncate_to_common_prefix(std::vector<TokenId>{1, 2, 3}), 2);
  EXPECT_EQ(cache.truncate_to_common_prefix({}), 0);
  cache.truncate(5);
  EXPECT_EQ(cache.length(), 0);
}

TEST(DraftTree, KnowsDepthsAndChains) {
  DraftTree tree = DraftTree::chain(std::vector<TokenId>{7, 8}, DraftOrigin::kReuse);
  EXPECT_TRUE(tree.is_chain());
  EXPECT_EQ(tree.depth(1), 1);
  EXPECT_EQ(tree.add(9, 0, DraftOrigin::kCopy), 2);
  EXPECT_FALSE(tree.is_chain());
  EXPECT_EQ(tree.depth(2), 1);
  EXPECT_TRUE(DraftTree().is_chain());
}

}  // namespace
}  // namespace redraft
