#pragma once

#include <memory>
#include <vector>

#include "decoding/drafting/lookup/suffix_automaton.h"
#include "support/token.h"

namespace redraft {

// The other open files as one text to copy from, kept while they stay the same: an edit of one file
// leaves the others as they are. Used by one thread at a time.
class OpenText {
 public:
  using Files = std::shared_ptr<const std::vector<std::vector<TokenId>>>;
  // Of the files only so many tokens are known, from the first file on: six megabytes.
  static constexpr int kMaxTokens = 1 << 16;

  // From now on these; null: none.
  void follow(const Files& files);
  const SuffixAutomaton& text() const { return text_; }

 private:
  Files files_;
  SuffixAutomaton text_;
};

}  // namespace redraft
