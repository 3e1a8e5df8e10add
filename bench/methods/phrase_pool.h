#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "decoding/draft_tree.h"
#include "support/token.h"

namespace redraft {

// The n-gram pool of Lookahead decoding and the phrase pool of Ouroboros: phrases that may follow a
// token. A token keeps its most recent phrases, and the pool its most recent tokens.
class PhrasePool {
 public:
  static constexpr std::size_t kMaxTokens = 16'384;

  // At most `per_token` phrases per token; at least 1.
  explicit PhrasePool(int per_token) : per_token_(static_cast<std::size_t>(per_token)) {}

  // A known phrase becomes the most recent one. `phrase` is not empty.
  void add(TokenId token, std::span<const TokenId> phrase);
  // The phrases after `token`, the oldest first. Valid until the next add().
  std::span<const std::vector<TokenId>> after(TokenId token) const;

 private:
  std::size_t per_token_;
  std::unordered_map<TokenId, std::vector<std::vector<TokenId>>> phrases_;
  std::deque<TokenId> tokens_;  // in order of arrival
};

// Adds the `most` newest of `phrases` (the oldest first) as branches after node `parent` (-1: after
// the context), as long as the tree has at most `limit` nodes. New phrases with a common beginning
// share nodes with each other, but not with earlier nodes.
void add_phrases(DraftTree& tree, int parent, std::span<const std::vector<TokenId>> phrases,
                 int most, DraftOrigin origin, int limit);

}  // namespace redraft
