#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace redraft {

// One token per byte, and Qwen's special tokens: a real Tokenizer that needs no vocabulary file.
// `specials` are additional special tokens.
std::shared_ptr<const Tokenizer> byte_tokenizer(const std::vector<std::string>& specials = {},
                                                const std::string& pre_tokenizer = "qwen2");

// byte_tokenizer() with the tokens <think> and </think>, which are also text, and a chat template
// that trims messages and writes an empty thought in each of the assistant's turns.
std::shared_ptr<const Tokenizer> thinking_tokenizer();

// byte_tokenizer() with the same tokens, and a chat template that opens a thought in the prompt.
std::shared_ptr<const Tokenizer> thought_opening_tokenizer();

// byte_tokenizer() with these words, and their beginnings, as tokens. If two words overlap, the
// earlier one is merged first.
std::shared_ptr<const Tokenizer> word_tokenizer(const std::vector<std::string>& words);

}  // namespace redraft
