#pragma once

#include <array>
#include <span>
#include <unordered_map>

#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// The target's predictions after each token of a draft, right or wrong. Verification computes them
// anyway. Where nothing else matches, they are the model's own guess at what follows (Token
// Recycling, Luo et al. 2024, with the best token of a row instead of its best eight). Bounded.
class SuccessorTable {
 public:
  static constexpr int kKept = 2;  // successors of one token, the most recent first; -1: none
  using Successors = std::array<TokenId, kKept>;

  void learn(const DraftTree& draft, const Predictions& predictions);
  // Null if nothing is known about `token`.
  const Successors* after(TokenId token) const;

 private:
  std::unordered_map<TokenId, Successors> successors_;
};

}  // namespace redraft
