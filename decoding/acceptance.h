#pragma once

#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// Accepts draft tokens that the target's argmax would not have written. The strict rule needs no
// such object: no decoder of redraft itself has one, only the laboratory's lossy decoders
// (bench/methods/lossy_rules.h).
class LossyRule {
 public:
  virtual ~LossyRule() = default;
  // What it reads of the predictions besides the argmax.
  virtual PredictionNeeds needs() const = 0;
  // Whether `token`, which is not the argmax of `row`, is accepted after that row.
  virtual bool accepts(TokenId token, int row, const Predictions& predictions) const = 0;
};

// The accepted part of the draft, and the target's own next token after it.
struct Acceptance {
  std::vector<int> path;  // accepted draft nodes, root first
  std::vector<TokenId>
      tokens;  // [path + 1]: their tokens, then the target's argmax after the last of them
};

// Pure function: the longest accepted path from the root; of paths of equal length, the one that
// ends at the earliest node. Without a lossy rule (null) the strict rule holds: the accepted tokens
// are those of plain greedy decoding, whatever was drafted.
Acceptance accept(const DraftTree& draft, const Predictions& predictions,
                  const LossyRule* lossy = nullptr);

}  // namespace redraft
