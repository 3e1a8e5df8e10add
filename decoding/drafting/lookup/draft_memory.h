#pragma once

#include <cstddef>
#include <span>

#include "decoding/drafting/lookup/suffix_automaton.h"
#include "support/token.h"

namespace redraft {

// New text that the edits of this process wrote, for later edits to copy from. Bounded: when it is
// full, it keeps at least the newer half. Used by one thread at a time.
class DraftMemory {
 public:
  // Separates the texts; no sequence that is looked up contains it.
  static constexpr TokenId kBorder = -1;

  // At most `capacity` tokens.
  explicit DraftMemory(int capacity = 1 << 16) : capacity_(capacity) {}

  // A match never extends across the ends of `text`.
  void add(std::span<const TokenId> text);

  const SuffixAutomaton& recent() const { return recent_; }
  const SuffixAutomaton& old() const { return old_; }
  std::size_t bytes() const { return recent_.bytes() + old_.bytes(); }

 private:
  int capacity_;
  SuffixAutomaton recent_, old_;
};

}  // namespace redraft
