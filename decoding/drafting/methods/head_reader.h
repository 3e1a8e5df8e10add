#pragma once

#include <span>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/draft_source.h"
#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "decoding/model_powers.h"
#include "support/token.h"

namespace redraft {

// Queries the target's draft head at the end of the text. The head reads the row of the last pass
// that predicted the newest token, so this class follows the accepted tokens through the draft of
// that pass. A draft source with a head forwards its calls to it.
class HeadReader {
 public:
  // The target's model has a head; model and cache outlive this.
  explicit HeadReader(const ModelSlot& target)
      : head_(*target.model->head_drafting()), cache_(*target.cache) {}

  // Call it once with the context of every draft. Returns whether the head can be queried, which is
  // not possible before the first pass.
  bool arrive(std::span<const TokenId> context);
  // What the head proposes after `newest`, the last token of the context that arrive() accepted: at
  // most `most` places.
  std::vector<HeadPlace> ask(TokenId newest, int most) {
    return head_.head_draft(row_, newest, most, cache_);
  }
  // See DraftSource::observe().
  void observe(const VerifiedDraft& pass);

 private:
  HeadDrafting& head_;
  KvCache& cache_;
  std::size_t length_ = 0;  // of the context at the last arrive()
  bool verified_ = false;   // whether there was a pass after that
  DraftTree draft_;         // of that pass
  int row_ = -1;            // the row that predicted the newest token; -1: none
};

// The row of a pass with this draft that predicted the last of `written`, the output since,
// numbered as in Predictions. -1: the tokens before it are not a path of the draft.
int predicting_row(const DraftTree& draft, std::span<const TokenId> written);

}  // namespace redraft
