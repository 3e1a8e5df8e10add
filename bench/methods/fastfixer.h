#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/methods/remainder_source.h"
#include "decoding/decoder.h"
#include "decoding/line_table.h"
#include "decoding/phase.h"
#include "support/token.h"

namespace redraft {

struct FastFixerOptions {
  int key = 5;    // tokens at the beginning of a new line that must match a line of the original
  int chunk = 1;  // tokens of the original that one pass verifies
};

// FastFixer, as EfficientEdit measures it, with the original in place of the buggy code. The whole
// original is the first draft. After a mismatch the target writes plainly to the end of the line,
// and then the first `key` tokens of the next one. If a line of the original after the position
// where reuse stopped begins with them, the first such line and everything after it continue the
// output. Otherwise the target writes that line plainly too.
class FastFixerPlan : public PhasePlan {
 public:
  // Without `lines` (null) no line ever ends, so reuse is over at the first mismatch.
  FastFixerPlan(const FastFixerOptions& options, const DecodeRequest& request,
                const LineTable* lines);

  Phase next(std::span<const TokenId> context) override;

 private:
  bool reuse_follows(std::span<const TokenId> written);
  bool breaks_line(TokenId token) const { return lines_ && lines_->breaks_line(token); }
  // Moves past the beginning of the line of the original that begins with key_. False if there is
  // none.
  bool resume();

  const LineTable* lines_;
  RemainderSource remainder_;
  std::vector<std::size_t> line_begins_;  // in the original
  std::size_t key_size_;
  std::vector<TokenId> key_;  // the beginning of the line being written, as far as it is needed
  bool collecting_ = false;   // whether key_ grows
  bool reusing_;
  std::size_t pass_begin_;  // size of the context before the last pass
};

}  // namespace redraft
