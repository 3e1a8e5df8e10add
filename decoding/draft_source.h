#pragma once

#include <span>

#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// A pass that verified a draft.
struct VerifiedDraft {
  const DraftTree& draft;
  const Predictions& predictions;  // of all its rows, accepted or not
  int rows;                        // with those of the context
  double seconds;                  // that the model took
};

// Guesses how the output goes on. A bad guess costs time; what is emitted is the Verifier's
// decision alone.
class DraftSource {
 public:
  virtual ~DraftSource() = default;
  // Empty when nothing is worth a forward pass; at most `limit` nodes. `context` is prompt and
  // output so far and ends with the last accepted token; it only ever grows from call to call.
  virtual DraftTree draft(std::span<const TokenId> context, int limit) = 0;
  // May be called while the pass that carries the last draft() runs on a device: time to prepare
  // for what it will probably say.
  virtual void look_ahead() {}
  // Called after the pass that carried the draft, an empty one too.
  virtual void observe(const VerifiedDraft& /*pass*/) {}
};

}  // namespace redraft
