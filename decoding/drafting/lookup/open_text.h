#pragma once

#include <memory>
#include <vector>

#include "decoding/drafting/lookup/suffix_automaton.h"
#include "support/token.h"

namespace redraft {

// The other open files as one text to copy from. It is kept as long as they stay the same: an edit
// of one file leaves the others as they are. Used by one thread at a time.
class OpenText {
 public:
  using Files = std::shared_ptr<const std::vector<std::vector<TokenId>>>;
  // Only this many tokens of the files are kept, from the first file on: six megabytes.
  static constexpr int kMaxTokens = 1 << 16;

  // Uses these files from then on; null: none.
  void follow(const Files& files);
  const SuffixAutomaton& text() const { return text_; }

 private:
  Files files_;
  SuffixAutomaton text_;
};

}  // namespace redraft
