#pragma once

#include <cstddef>
#include <span>

#include "decoding/drafting/lookup/suffix_automaton.h"
#include "support/token.h"

namespace redraft {

// What the edits of a process wrote anew, for later ones to copy from: bounded, the newest half at
// least of what fits. Used by one thread at a time.
class DraftMemory {
 public:
  // Stands between the texts; no sequence that is looked up has it.
  static constexpr TokenId kBorder = -1;

  // `capacity` tokens, or fewer.
  explicit DraftMemory(int capacity = 1 << 16) : capacity_(capacity) {}

  // Nothing is ever found across the borders of `text`.
  void add(std::span<const TokenId> text);

  const SuffixAutomaton& recent() const { return recent_; }
  const SuffixAutomaton& old() const { return old_; }
  std::size_t bytes() const { return recent_.bytes() + old_.bytes(); }

 private:
  int capacity_;
  SuffixAutomaton recent_, old_;
};

}  // namespace redraft
