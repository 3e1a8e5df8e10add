#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/draft_origin.h"
#include "support/token.h"

namespace redraft {

// A guess at the next tokens: nodes of (token, parent, origin). A guess without branches is a
// chain. Attention masks and positions are derived from the tree where they are used and never
// passed along with it. Invariant: parents()[i] < i, so ancestors come first; -1 is the last token
// of the context.
class DraftTree {
 public:
  DraftTree() = default;
  static DraftTree chain(std::span<const TokenId> tokens, DraftOrigin origin);

  // Adds a node and returns its index. `parent` is -1 or the index of an earlier node.
  int add(TokenId token, int parent, DraftOrigin origin);

  int size() const { return static_cast<int>(tokens_.size()); }
  bool empty() const { return tokens_.empty(); }
  std::span<const TokenId> tokens() const { return tokens_; }
  std::span<const std::int32_t> parents() const { return parents_; }
  std::span<const DraftOrigin> origins() const { return origins_; }
  // The number of ancestors. The node's position is that of the last context token + 1 + depth.
  int depth(int node) const;
  // True when every node's parent is the node before it.
  bool is_chain() const;

 private:
  std::vector<TokenId> tokens_;
  std::vector<std::int32_t> parents_;
  std::vector<DraftOrigin> origins_;
};

}  // namespace redraft
