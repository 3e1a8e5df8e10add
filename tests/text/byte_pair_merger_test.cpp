#include "text/byte_pair_merger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

namespace redraft {
namespace {

struct Grammar {
  std::array<TokenId, 256> byte_tokens;
  std::vector<PairMerge> merges;
};

// Bytes are their own ids; every merge makes a new token from two existing ones.
Grammar random_grammar(std::mt19937& random, int n_letters, int n_merges) {
  Grammar grammar;
  std::iota(grammar.byte_tokens.begin(), grammar.byte_tokens.end(), 0);
  std::vector<TokenId> tokens(static_cast<std::size_t>(n_letters));
  std::iota(tokens.begin(), tokens.end(), 'a');
  for (TokenId id = 256; id < 256 + n_merges; ++id) {
    grammar.merges.push_back(
        {tokens[random() % tokens.size()], tokens[random() % tokens.size()], id});
    tokens.push_back(id);
  }
  std::shuffle(grammar.merges.begin(), grammar.merges.end(), random);
  return grammar;
}

// The definition: find the best pair, merge its leftmost occurrence, start again.
std::vector<TokenId> merge_by_definition(const Grammar& grammar, const std::string& word) {
  std::map<std::pair<TokenId, TokenId>, std::size_t> ranks;
  for (std::size_t i = 0; i < grammar.merges.size(); ++i) {
    ranks[{grammar.merges[i].left, grammar.merges[i].right}] = i;
  }
  std::vector<TokenId> ids(word.begin(), word.end());
  while (true) {
    std::size_t best_rank = grammar.merges.size();
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto found = ranks.find({ids[i], ids[i + 1]});
      if (found == ranks.end() || found->second >= best_rank) continue;
      best_rank = found->second;
      best = i;
    }
    if (best_rank == grammar.merges.size()) return ids;
    ids[best] = grammar.merges[best_rank].merged;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(BytePairMerger, MergesByDefinitionWhateverTheLength) {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    const Grammar grammar = random_grammar(random, 1 + round % 4, static_cast<int>(random() % 40));
    const BytePairMerger merger(grammar.byte_tokens, grammar.merges);
    std::string word(random() % 200, 'a');
    for (char& c : word) c = static_cast<char>('a' + random() % 4);
    std::vector<TokenId> ids{-7};  // existing tokens stay
    merger.append(word, ids);
    std::vector<TokenId> expected = merge_by_definition(grammar, word);
    expected.insert(expected.begin(), -7);
    ASSERT_EQ(ids, expected) << "round " << round << " " << word;
  }
}

TEST(BytePairMerger, WorkGrowsWithTheLengthAlone) {
  Grammar grammar;
  std::iota(grammar.byte_tokens.begin(), grammar.byte_tokens.end(), 0);
  TokenId left = 'a';  // aa, aaaa, …: every pair merges, again and again
  for (TokenId id = 256; id < 272; ++id) {
    grammar.merges.push_back({left, left, id});
    left = id;
  }
  const BytePairMerger merger(grammar.byte_tokens, grammar.merges);
  for (const std::size_t size : {std::size_t{48}, std::size_t{49}, std::size_t{1} << 18}) {
    std::vector<TokenId> ids;
    EXPECT_LE(merger.append(std::string(size, 'a'), ids), 3 * size);
    EXPECT_LE(ids.size(), 6u);
  }
}

TEST(BytePairMerger, TheLaterOfTwoMergesOfOnePairCounts) {
  Grammar grammar;
  std::iota(grammar.byte_tokens.begin(), grammar.byte_tokens.end(), 0);
  grammar.merges = {{'a', 'b', 256}, {'b', 'c', 257}, {'a', 'b', 256}};
  std::vector<TokenId> ids;
  BytePairMerger(grammar.byte_tokens, grammar.merges).append("abcab", ids);
  EXPECT_EQ(ids, (std::vector<TokenId>{'a', 257, 256}));
}

}  // namespace
}  // namespace redraft
