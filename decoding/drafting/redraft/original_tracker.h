#pragma once

#include <span>
#include <vector>

#include "decoding/drafting/lookup/seam_index.h"
#include "decoding/drafting/lookup/suffix_index.h"
#include "decoding/drafting/redraft/guess.h"
#include "decoding/drafting/redraft/substitutions.h"
#include "decoding/replacement.h"
#include "support/token.h"

namespace redraft {

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

  // What the original, or a substitution, holds at the places where it may go on.
  void add_guesses(const OriginalState& state, std::span<const TokenId> output,
                   std::vector<Guess>& guesses) const;
  // In sync: what it holds at other places where the output's end occurs.
  void add_elsewhere(const OriginalState& state, std::span<const TokenId> output,
                     std::vector<Guess>& guesses) const;

 private:
  std::span<const TokenId> rest(int place) const;
  OriginalState substitute(OriginalState state, TokenId token) const;
  std::vector<SuffixIndex::Match> places_after(std::span<const TokenId> output, int pointer,
                                               int most) const;
  OriginalState search(OriginalState state, std::span<const TokenId> output) const;
  void learn_hunk(const OriginalState& found, std::span<const TokenId> output);
  void add_at_pointer(const OriginalState& state, std::vector<Guess>& guesses) const;
  void add(int place, GuessKind kind, int match, std::vector<Guess>& guesses) const;

  SuffixIndex index_;
  SeamIndex seams_;
  Substitutions substitutions_;
  // Where the output left the original last: the place there, and the first token that differs.
  int left_original_ = 0;
  int left_output_ = 0;
};

}  // namespace redraft
