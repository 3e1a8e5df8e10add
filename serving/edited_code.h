#pragma once

#include <span>

#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// The tokens of `prompt` that the answer probably resembles: the content of its last closed code
// block, because clients show the code to edit in that form. Empty if there is none. A block starts
// with a line of at least three back-ticks and at most one word, and ends with a line of equally
// many.
std::span<const TokenId> edited_code(const Tokenizer& tokenizer, std::span<const TokenId> prompt);

}  // namespace redraft
