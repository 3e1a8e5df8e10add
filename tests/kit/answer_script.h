#pragma once

#include <span>

#include "support/token.h"
#include "tests/kit/fill_script.h"
#include "text/tokenizer.h"

namespace redraft {

// The answer of a scripted model in a conversation: `write`, if `after` is anywhere in the earlier
// turns; then it ends its turn. A text without turns is continued with fill_behind().
TokenId next_answer_token(const Tokenizer& tokenizer, const FillScript& answers,
                          std::span<const TokenId> sequence);

}  // namespace redraft
