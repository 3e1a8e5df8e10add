#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decoding/text/tokenizer.h"

namespace redraft {

// One token a byte, and Qwen's special tokens: a real Tokenizer that needs no vocabulary file.
// `specials` are more of them.
std::shared_ptr<const Tokenizer> byte_tokenizer(const std::vector<std::string>& specials = {});

// The same with these words, and their beginnings, as tokens of their own; where two overlap the
// earlier is made first.
std::shared_ptr<const Tokenizer> word_tokenizer(const std::vector<std::string>& words);

}  // namespace redraft
