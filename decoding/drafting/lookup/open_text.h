#pragma once

#include <memory>
#include <vector>

#include "decoding/drafting/lookup/suffix_automaton.h"
#include "support/token.h"

namespace redraft {

// The other open files as one text to copy from. It is rebuilt only when one of them changes:
// editing one file leaves the others as they are. Used by one thread at a time.
class OpenText {
 public:
  using Files = std::shared_ptr<const std::vector<std::vector<TokenId>>>;
  // Keeps at most this many tokens of the files, starting with the first file: six megabytes.
  static constexpr int kMaxTokens = 1 << 16;

  // Switches to these files; null: no files.
  void follow(const Files& files);
  const SuffixAutomaton& text() const { return text_; }

 private:
  Files files_;
  SuffixAutomaton text_;
};

}  // namespace redraft
