#pragma once

#include <span>

#include "support/token.h"
#include "tests/kit/fill_script.h"
#include "text/tokenizer.h"

namespace redraft {

// What a scripted model answers in a conversation: `write`, if `after` is anywhere in what was said
// before; then it ends its turn. To a text without turns it adds what fill_behind() says.
TokenId next_answer_token(const Tokenizer& tokenizer, const FillScript& answers,
                          std::span<const TokenId> sequence);

}  // namespace redraft
