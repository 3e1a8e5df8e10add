#pragma once

#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// Which draft tokens are accepted. The strict rule accepts the tokens that the target's own argmax
// would have written. The other rules are EfficientEdit's lossy ones (section III.B and table III);
// they are never a default.
struct AcceptancePolicy {
  enum class Rule { kStrict, kEntropy, kTopK, kDirect };
  Rule rule = Rule::kStrict;
  int k = 3;  // the number of candidates that kEntropy and kTopK look at
  // kEntropy: floor(k*H), as in the authors' code, instead of the paper's ceil (eq. 10).
  bool floor_tau = false;

  bool lossless() const { return rule == Rule::kStrict; }
  PredictionNeeds needs() const;
};

// Equation 9: the entropy of a row's best candidates, renormalised among themselves, divided by its
// largest possible value, log k: 0 (certain) to 1 (undecided). Summed in double in the order given.
// 0 for fewer than two candidates; NaN if a logit is NaN or +infinity.
double normalised_entropy(std::span<const float> top_logits);

// Equation 10: how many of a row's k best candidates an entropy-aware policy accepts:
// max(1, ceil(k * H)). 1 when the entropy is not a number.
int entropy_threshold(double entropy, int k, bool floor_tau);

// The accepted part of the draft, and the target's own next token after it.
struct Acceptance {
  std::vector<int> path;  // accepted draft nodes, root first
  std::vector<TokenId>
      tokens;  // [path + 1]: their tokens, then the target's argmax after the last of them
};

// Pure function. Finds the longest accepted path from the root; among paths of equal length, the
// one that ends at the earliest node. Under the strict rule the accepted tokens are those of plain
// greedy decoding, whatever was drafted.
Acceptance accept(const DraftTree& draft, const Predictions& predictions,
                  const AcceptancePolicy& policy);

}  // namespace redraft
