#pragma once

#include <vector>

#include "decoding/drafting/lookup/suffix_automaton.h"
#include "decoding/drafting/redraft/sources/guess.h"

namespace redraft {

// Guesses the tokens that followed the longest ends of a branch in a text. The `match` of a guess
// is the length of such an end.
class Copies {
 public:
  explicit Copies(GuessKindId kind) : kind_(kind) {}

  // `at` is the branch's position in the text. Appends the best few guesses.
  void add(const SuffixAutomaton& text, SuffixAutomaton::Cursor at, std::vector<Guess>& out) const;

 private:
  GuessKindId kind_;
  mutable std::vector<SuffixAutomaton::Next> found_;  // a member, so that its memory is reused
};

}  // namespace redraft
