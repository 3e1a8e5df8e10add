#pragma once

#include <span>
#include <vector>

#include "decoding/drafting/lookup/seam_index.h"
#include "decoding/drafting/lookup/suffix_index.h"
#include "decoding/drafting/redraft/sources/substitutions.h"
#include "decoding/replacement.h"
#include "support/token.h"

namespace redraft {

// The position in the original of the output, or of a branch of a draft.
struct OriginalState {
  bool in_sync = true;
  int pointer = 0;        // where the original continues; out of sync: where the output left it
  int match = 0;          // tokens before the pointer that agree with the output
  int astray = 0;         // tokens written since the output left the original
  int substitution = -1;  // the one in progress (counts as in sync); -1: none
  int written = 0;        // written tokens of the substitution
};

// Follows the output along the original. After a mismatch it searches, after every token, for the
// position to continue from: positions ahead first, but it may return to any position. So moved
// text and wrong guesses cost nothing permanent. It learns which text the output replaced, and by
// what.
class OriginalTracker {
 public:
  // `tokenizer`: see Substitutions. `expected`: the replacements that the request announces.
  OriginalTracker(std::span<const TokenId> original, const Tokenizer* tokenizer,
                  std::span<const Replacement> expected = {});

  // `output` (at least its end) has one token more than at `state`. The token may be a guess.
  OriginalState advance(const OriginalState& state, std::span<const TokenId> output) const;
  // The same along the written output, called once for each token; learns from it.
  OriginalState follow(const OriginalState& state, std::span<const TokenId> output);

  // The original from `place` on.
  std::span<const TokenId> rest(int place) const;
  // Other positions where the output's end occurs in the original: the longest match first, at most
  // `most`.
  std::vector<SuffixIndex::Match> places_after(std::span<const TokenId> output, int pointer,
                                               int most) const;
  const Substitutions& substitutions() const { return substitutions_; }

 private:
  OriginalState substitute(OriginalState state, TokenId token) const;
  OriginalState search(OriginalState state, std::span<const TokenId> output) const;
  void learn_hunk(const OriginalState& found, std::span<const TokenId> output);

  SuffixIndex index_;
  SeamIndex seams_;
  Substitutions substitutions_;
  // Where the output last left the original: the position in the original, and the first token of
  // the output that differs.
  int left_original_ = 0;
  int left_output_ = 0;
};

}  // namespace redraft
