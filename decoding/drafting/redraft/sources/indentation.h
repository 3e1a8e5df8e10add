#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decoding/drafting/redraft/sources/guess_source.h"
#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// Guesses the white space at the beginning of a new line from the previous line: the same depth,
// one step deeper after an opening bracket or colon, or one step less. New code has no line to copy
// it from.
class Indentation final : public StatelessSource {
 public:
  // The indentation of the new line relative to the previous one; the `match` of the Guess.
  enum Step { kSame, kSameAfterOpening, kDeeperAfterOpening, kDeeper, kShallower };

  // `text` shows the width of a step. `tokenizer` outlives this.
  Indentation(const Tokenizer& tokenizer, std::span<const TokenId> text, GuessKinds& kinds);

  // Adds nothing unless the branch ends a line.
  void add_guesses(const Branch& branch, std::vector<Guess>& guesses) const override;

 private:
  void add(int width, Step step, std::vector<Guess>& guesses) const;

  const Tokenizer& tokenizer_;
  GuessKindId indentation_;
  char blank_ = ' ';
  int unit_ = 4;
  std::vector<TokenId> by_width_;  // the token for each width of indentation, or -1
};

std::unique_ptr<GuessSource> indentation_source(const SourceInputs& inputs);

}  // namespace redraft
