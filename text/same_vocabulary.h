#pragma once

#include "text/tokenizer.h"

namespace redraft {

// Whether tokens of one mean the same in the other, as far as some spellings and a text tell. Where
// it is wrong, drafts are of less use; what is written stays the same.
bool same_vocabulary(const Tokenizer& a, const Tokenizer& b);

}  // namespace redraft
