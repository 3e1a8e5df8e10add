#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "decoding/language_model.h"

// What the LanguageModel interface guarantees about rows, checked for any model.
namespace redraft {

inline constexpr int kComparedLogits = 8;

// The best tokens, and the bits of their logits, row after row: the hidden state as the head
// sees it.
struct RowBits {
  std::vector<TokenId> ids;
  std::vector<float> logits;

  void append(const Predictions& predictions) {
    ids.insert(ids.end(), predictions.top_ids.begin(), predictions.top_ids.end());
    logits.insert(logits.end(), predictions.top_logits.begin(), predictions.top_logits.end());
  }
  RowBits row(int index) const {
    const auto first = static_cast<std::ptrdiff_t>(index) * kComparedLogits;
    return {{ids.begin() + first, ids.begin() + first + kComparedLogits},
            {logits.begin() + first, logits.begin() + first + kComparedLogits}};
  }
  RowBits last() const { return row(static_cast<int>(ids.size()) / kComparedLogits - 1); }
  // Compares bits, so that -0 and 0 differ.
  bool operator==(const RowBits& other) const {
    return ids == other.ids && logits.size() == other.logits.size() &&
           std::memcmp(logits.data(), other.logits.data(), sizeof(float) * logits.size()) == 0;
  }
};

inline std::vector<TokenId> random_tokens(const LanguageModel& model, int count,
                                          std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TokenId> out(static_cast<std::size_t>(count));
  for (TokenId& token : out)
    token = static_cast<TokenId>(random() % static_cast<std::uint32_t>(model.vocabulary_size()));
  return out;
}

// Runs the tokens as contexts of at most `chunk` rows and returns the last row.
inline RowBits prefill(LanguageModel& model, KvCache& cache, std::span<const TokenId> tokens,
                       int chunk) {
  for (; static_cast<int>(tokens.size()) > chunk; tokens = tokens.subspan(chunk)) {
    model.forward(tokens.first(chunk), {}, cache, {.every_row = false});
  }
  RowBits out;
  out.append(model.forward(tokens, {}, cache, {.every_row = false, .top_k = kComparedLogits}));
  return out;
}

// Every row of the tokens, verified as draft chains of `chunk` rows.
inline RowBits verify_all(LanguageModel& model, std::span<const TokenId> tokens, int chunk) {
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(tokens.size()));
  RowBits out;
  while (!tokens.empty()) {
    const auto part = tokens.first(std::min(static_cast<std::size_t>(chunk), tokens.size()));
    const DraftTree draft = DraftTree::chain(part.subspan(1), DraftOrigin::kOther);
    out.append(model.forward(part.first(1), draft, *cache, {.top_k = kComparedLogits}));
    std::vector<int> path(static_cast<std::size_t>(draft.size()));
    std::iota(path.begin(), path.end(), 0);
    cache->keep(path);
    tokens = tokens.subspan(part.size());
  }
  return out;
}

// A tree with many branches that repeats tokens on different paths.
inline DraftTree random_tree(const LanguageModel& model, int nodes, std::uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<TokenId> tokens = random_tokens(model, 6, seed);
  DraftTree tree;
  for (int i = 0; i < nodes; ++i) {
    const int parent = i == 0 || random() % 8 == 0
                           ? -1
                           : static_cast<int>(random() % static_cast<std::uint32_t>(i));
    tree.add(tokens[random() % tokens.size()], parent, DraftOrigin::kOther);
  }
  return tree;
}

inline std::vector<int> path_to(const DraftTree& tree, int node) {
  std::vector<int> path;
  for (; node >= 0; node = tree.parents()[node]) path.insert(path.begin(), node);
  return path;
}

inline std::vector<TokenId> tokens_of(const DraftTree& tree, const std::vector<int>& path) {
  std::vector<TokenId> out;
  for (const int node : path) out.push_back(tree.tokens()[node]);
  return out;
}

// The row after each node of a path, for nodes that form a tree over one committed prefix.
inline RowBits tree_rows(LanguageModel& model, KvCache& cache, TokenId last,
                         const DraftTree& tree) {
  RowBits out;
  out.append(model.forward({&last, 1}, tree, cache, {.top_k = kComparedLogits}));
  return out;
}

}  // namespace redraft
