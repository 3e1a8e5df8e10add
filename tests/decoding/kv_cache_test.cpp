#include "decoding/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redraft {
namespace {

using testing::ElementsAre;

// Records what moved where, and from which slot on memory was given back.
struct Moves : KvStorage {
  struct Log {
    std::vector<std::pair<int, int>> moves;
    std::vector<int> discarded, forked;
  };
  explicit Moves(Log& seen) : log(seen) {}
  void move_slot(int from, int to) override { log.moves.emplace_back(from, to); }
  std::unique_ptr<KvStorage> fork(int slots) const override {
    log.forked.push_back(slots);
    return std::make_unique<Moves>(log);
  }
  void discard(int from) override { log.discarded.push_back(from); }
  std::size_t bytes(int slots) const override { return 10 * static_cast<std::size_t>(slots); }
  Log& log;
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
  Moves::Log log;
  KvCache cache(16, std::make_unique<Moves>(log));
  DraftTree draft;
  draft.add(10, -1, DraftOrigin::kReuse);
  const int branch = draft.add(11, -1, DraftOrigin::kCopy);
  draft.add(12, 0, DraftOrigin::kReuse);
  const int leaf = draft.add(13, branch, DraftOrigin::kCopy);
  cache.append(std::vector<TokenId>{1, 2, 3}, draft);
  cache.keep(std::vector<int>{branch, leaf});
  EXPECT_THAT(tokens_of(cache), ElementsAre(1, 2, 3, 11, 13));
  EXPECT_THAT(log.moves, ElementsAre(std::pair(4, 3), std::pair(6, 4)));
}

TEST(KvCache, AKeptChainMovesNothing) {
  Moves::Log log;
  KvCache cache(16, std::make_unique<Moves>(log));
  cache.append(std::vector<TokenId>{1},
               DraftTree::chain(std::vector<TokenId>{2, 3, 4}, DraftOrigin::kReuse));
  cache.keep(std::vector<int>{0, 1, 2});
  EXPECT_TRUE(log.moves.empty());
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

TEST(KvCache, AForkGoesItsOwnWay) {
  Moves::Log log;
  KvCache cache(16, std::make_unique<Moves>(log));
  cache.append(std::vector<TokenId>{1, 2, 3, 4}, DraftTree());
  const std::unique_ptr<KvCache> fork = cache.fork(2);
  EXPECT_THAT(log.forked, ElementsAre(2));
  fork->append(std::vector<TokenId>{7}, DraftTree());
  cache.truncate(1);
  EXPECT_THAT(tokens_of(*fork), ElementsAre(1, 2, 7));
  EXPECT_THAT(tokens_of(cache), ElementsAre(1));
  EXPECT_EQ(fork->capacity(), 16);
  EXPECT_EQ(fork->bytes(), 30U);
  EXPECT_EQ(KvCache(4, nullptr).fork(0)->length(), 0);
}

TEST(KvCache, GivesBackMemoryWhenManySlotsFallIdle) {
  Moves::Log log;
  KvCache cache(1000, std::make_unique<Moves>(log));
  const std::vector<TokenId> tokens(900, 1);
  cache.append(std::span(tokens).first(400),
               DraftTree::chain(std::span(tokens).first(100), DraftOrigin::kCopy));
  EXPECT_EQ(cache.bytes(), 5000U);
  cache.truncate(300);
  EXPECT_THAT(log.discarded, ElementsAre()) << "the next draft needs as many";
  EXPECT_EQ(cache.bytes(), 5000U);
  cache.truncate(100);
  EXPECT_THAT(log.discarded, ElementsAre(100));
  EXPECT_EQ(cache.bytes(), 1000U);
  cache.append(std::span(tokens).first(10), DraftTree());
  cache.truncate(101);
  cache.trim();
  EXPECT_THAT(log.discarded, ElementsAre(100, 101));
  EXPECT_EQ(cache.bytes(), 1010U);
  cache.trim();
  EXPECT_THAT(log.discarded, ElementsAre(100, 101)) << "nothing was idle";
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
