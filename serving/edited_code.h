#pragma once

#include <span>

#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// The tokens of `prompt` that the answer is expected to resemble: the inside of the last code block
// in it that is closed, as clients of any kind show what is to be edited. Empty if there is none.
// A block begins with a line of at least three back-ticks and a word at most, and ends with a line
// of as many.
std::span<const TokenId> edited_code(const Tokenizer& tokenizer, std::span<const TokenId> prompt);

}  // namespace redraft
