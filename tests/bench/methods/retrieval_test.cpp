// REST, and the tree that REST and FastCoder build from what they find.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "bench/methods/rest.h"
#include "bench/methods/retrieval_tree.h"
#include "tests/kit/counting_store.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;

// The tokens from the root to each node.
std::vector<Tokens> paths(const DraftTree& tree) {
  std::vector<Tokens> paths;
  for (int node = 0; node < tree.size(); ++node) {
    const int parent = tree.parents()[node];
    paths.push_back(parent < 0 ? Tokens() : paths[parent]);
    paths.back().push_back(tree.tokens()[node]);
  }
  return paths;
}

WeighedContinuations continuations(const std::vector<Tokens>& sorted, double weight) {
  WeighedContinuations list{.found = {.matched = 1, .tokens = {}}, .weight = weight};
  for (const Tokens& tokens : sorted) list.found.tokens.emplace_back(tokens);
  return list;
}

TEST(RetrievalTree, KeepsTheMostFrequentBeginnings) {
  const std::vector<Tokens> found = {{1, 2, 3}, {1, 2, 4}, {1, 5}, {6, 7, 8}};
  const auto best = [&](int most) {
    return paths(retrieval_tree(continuations(found, 1), {}, most, DraftOrigin::kRetrieval));
  };
  EXPECT_EQ(best(0), std::vector<Tokens>());
  EXPECT_EQ(best(2), (std::vector<Tokens>{{1}, {1, 2}}));
  EXPECT_EQ(best(4), (std::vector<Tokens>{{1}, {1, 2}, {1, 5}, {6}})) << "then near the root";
  EXPECT_EQ(best(kNoLimit).size(), 8U);
}

TEST(RetrievalTree, WeighsTwoPlacesDifferently) {
  const std::vector<Tokens> repository = {{1, 2}};
  const std::vector<Tokens> common = {{1, 3}, {4, 5}, {4, 5}};
  const auto best = [&](double alpha, double beta) {
    return paths(retrieval_tree(continuations(repository, alpha), continuations(common, beta), 2,
                                DraftOrigin::kRetrieval));
  };
  EXPECT_EQ(best(1, 1), (std::vector<Tokens>{{1}, {4}})) << "2 and 2";
  EXPECT_EQ(best(3, 1), (std::vector<Tokens>{{1}, {1, 2}})) << "4 and 3 against 2";
  EXPECT_EQ(best(1, 3), (std::vector<Tokens>{{4}, {4, 5}})) << "6 and 6 against 4";
}

TEST(RetrievalTree, CountsAsAMapOfAllBeginningsWould) {
  std::mt19937 random(3);
  const auto some = [&](std::vector<Tokens>& list) {
    list.resize(random() % 20);
    for (Tokens& tokens : list) {
      tokens.resize(1 + random() % 6);
      for (TokenId& token : tokens) token = static_cast<TokenId>(random() % 3);
    }
    std::sort(list.begin(), list.end());
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<Tokens> a;
    std::vector<Tokens> b;
    some(a);
    some(b);
    std::map<Tokens, double> weights;
    const auto count = [&](const std::vector<Tokens>& list, double weight) {
      for (const Tokens& tokens : list) {
        for (auto end = tokens.begin() + 1;; ++end) {
          weights[Tokens(tokens.begin(), end)] += weight;
          if (end == tokens.end()) break;
        }
      }
    };
    count(a, 2);
    count(b, 3);
    const int most = static_cast<int>(random() % 40);
    const auto kept = paths(
        retrieval_tree(continuations(a, 2), continuations(b, 3), most, DraftOrigin::kRetrieval));
    ASSERT_EQ(kept.size(), std::min<std::size_t>(most, weights.size()));
    double lightest = 1e9;
    for (const Tokens& path : kept) {
      ASSERT_TRUE(weights.contains(path)) << "or twice in the tree";
      lightest = std::min(lightest, weights[path]);
      weights.erase(path);
    }
    for (const auto& [path, weight] : weights) ASSERT_TRUE(kept.empty() || weight <= lightest);
  }
}

TEST(Rest, TakesTheLongestEndOfTheContext) {
  const auto store = std::make_shared<CountingStore>(
      std::vector<Tokens>{{1, 2, 3, 4, 40, 41}, {2, 3, 4, 50}, {3, 4, 60}});
  RestSource source(store, {});
  EXPECT_EQ(paths(source.draft(Tokens{9, 1, 2, 3, 4}, kNoLimit)),
            (std::vector<Tokens>{{40}, {40, 41}}));
  EXPECT_EQ(paths(source.draft(Tokens{9, 3, 4}, kNoLimit)).size(), 4U);
  EXPECT_TRUE(source.draft(Tokens{9, 4}, kNoLimit).empty()) << "one token is not enough";
}

TEST(Rest, NeverContinuesIntoAnotherFile) {
  const auto store = std::make_shared<CountingStore>(std::vector<Tokens>{{1, 2, 3}, {4, 5, 6}});
  RestSource source(store, {});
  EXPECT_EQ(paths(source.draft(Tokens{1, 2}, kNoLimit)), (std::vector<Tokens>{{3}}));
  EXPECT_TRUE(source.draft(Tokens{2, 3}, kNoLimit).empty());
}

TEST(Rest, NeverDraftsMoreThan64Nodes) {
  std::mt19937 random(4);
  std::vector<Tokens> texts(300);
  for (Tokens& text : texts) {
    text = {1, 2};
    while (text.size() < 40) text.push_back(static_cast<TokenId>(random() % 50));
  }
  RestSource source(std::make_shared<CountingStore>(texts), {});
  const DraftTree draft = source.draft(Tokens{1, 2}, kNoLimit);
  EXPECT_EQ(draft.size(), 64);
  for (int node = 0; node < draft.size(); ++node) {
    EXPECT_LT(draft.depth(node), 10);
    EXPECT_EQ(draft.origins()[node], DraftOrigin::kRetrieval);
  }
  EXPECT_EQ(source.draft(Tokens{1, 2}, 5).size(), 5);
}

TEST(Rest, WithoutAStoreDecodesPlainly) {
  EXPECT_TRUE(RestSource(nullptr, {}).draft(Tokens{1, 2, 3}, kNoLimit).empty());
}

}  // namespace
}  // namespace redraft
