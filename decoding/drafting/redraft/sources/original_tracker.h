#pragma once

#include <span>
#include <vector>

#include "decoding/drafting/lookup/seam_index.h"
#include "decoding/drafting/lookup/suffix_index.h"
#include "decoding/drafting/redraft/sources/substitutions.h"
#include "decoding/replacement.h"
#include "support/token.h"

namespace redraft {

// Where the output, or a branch of a draft, stands in the original.
struct OriginalState {
  bool in_sync = true;
  int pointer = 0;        // where the original goes on; out of sync, where the output left it
  int match = 0;          // tokens before the pointer that agree with the output
  int astray = 0;         // tokens written since the output left the original
  int substitution = -1;  // the one that is being written, in sync until it is done
  int written = 0;        // tokens of it that are
};

// Follows the output along the original. After a mismatch it looks for the place to go on from
// after every token: places ahead first, but any place may be returned to, so moved text and wrong
// guesses cost nothing for good. It learns what the output replaced by what.
class OriginalTracker {
 public:
  // `tokenizer`: see Substitutions. `expected`: words that are said to be replaced.
  OriginalTracker(std::span<const TokenId> original, const Tokenizer* tokenizer,
                  std::span<const Replacement> expected = {});

  // `output` (its end, at least) has one token more than at `state`, real or tried.
  OriginalState advance(const OriginalState& state, std::span<const TokenId> output) const;
  // The same for the whole output as it is written, of which each token comes once: learns from it.
  OriginalState follow(const OriginalState& state, std::span<const TokenId> output);

  // What the original has from `place` on.
  std::span<const TokenId> rest(int place) const;
  // Where else the output's end occurs in it: the longest match first, at most `most`.
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
  // Where the output left the original last: the place there, and the first token that differs.
  int left_original_ = 0;
  int left_output_ = 0;
};

}  // namespace redraft
