#pragma once

#include <span>

#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// A pass that has verified a draft.
struct VerifiedDraft {
  const DraftTree& draft;
  const Predictions& predictions;  // of all its rows, accepted or not
  int rows;                        // including those of the context
  double seconds;                  // time that the model took
};

// Guesses how the output continues. A bad guess costs time; what is emitted is the Verifier's
// decision alone.
class DraftSource {
 public:
  virtual ~DraftSource() = default;
  // Returns at most `limit` nodes; empty when nothing is worth a forward pass. `context` is the
  // prompt and the output so far and ends with the last accepted token. From call to call it only
  // grows.
  virtual DraftTree draft(std::span<const TokenId> context, int limit) = 0;
  // May be called while the pass with the last draft() runs on a device. This is time to prepare
  // the draft that follows the expected result.
  virtual void look_ahead() {}
  // Called after every pass, whether or not its draft was empty.
  virtual void observe(const VerifiedDraft& /*pass*/) {}
};

}  // namespace redraft
