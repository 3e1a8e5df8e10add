#pragma once

#include <span>
#include <vector>

#include "decoding/drafting/priced_draft.h"
#include "decoding/drafting/suffix_index.h"
#include "support/token.h"

namespace redraft {

// Follows the output along the original. After a mismatch it looks for the place to go on from
// after every token: places ahead first, but any place may be returned to, so moved text and wrong
// guesses cost nothing for good.
class OriginalTracker {
 public:
  explicit OriginalTracker(std::span<const TokenId> original);

  // `output` has one token more than at the last call.
  void advance(std::span<const TokenId> output);
  // Ways the original may go on after `output`, best first by `survival`.
  void add_continuations(std::span<const TokenId> output, const SurvivalTable& survival,
                         std::vector<Continuation>& continuations) const;

 private:
  GuessKind kind_of(int place) const;
  Continuation at(int place, GuessKind kind, int match) const;

  SuffixIndex index_;
  bool in_sync_ = true;
  int pointer_ = 0;  // where the original goes on; out of sync, where the output left it
  int match_ = 0;    // tokens before the pointer that agree with the output
  int astray_ = 0;   // tokens written since the output left the original
};

}  // namespace redraft
