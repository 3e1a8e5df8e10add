#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decoding/drafting/redraft/sources/guess_source.h"
#include "decoding/text/tokenizer.h"
#include "support/token.h"

namespace redraft {

// Guesses the white space that a new line begins with from the line before: as deep, a step deeper
// after an opening bracket or colon, a step less deep. New code has no line to copy it from.
class Indentation final : public StatelessSource {
 public:
  // How the guess relates to the line before; the `match` of its Guess.
  enum Step { kSame, kSameAfterOpening, kDeeperAfterOpening, kDeeper, kShallower };

  // `text` shows how wide a step is. `tokenizer` outlives this.
  Indentation(const Tokenizer& tokenizer, std::span<const TokenId> text, GuessKinds& kinds);

  // Nothing unless the branch ends a line.
  void add_guesses(const Branch& branch, std::vector<Guess>& guesses) const override;

 private:
  void add(int width, Step step, std::vector<Guess>& guesses) const;

  const Tokenizer& tokenizer_;
  GuessKindId indentation_;
  char blank_ = ' ';
  int unit_ = 4;
  std::vector<TokenId> by_width_;  // the token that a line indented so far begins with, or -1
};

std::unique_ptr<GuessSource> indentation_source(const SourceInputs& inputs);

}  // namespace redraft
