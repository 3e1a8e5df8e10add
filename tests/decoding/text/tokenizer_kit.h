#pragma once

#include <array>
#include <memory>
#include <string>

#include "decoding/text/tokenizer.h"

namespace redraft {

// The small vocabulary in data/tiny.json: all bytes, some merges, four special tokens. With the
// pre-tokeniser of that name.
TokenizerSpec tiny_spec(const std::string& pre_tokenizer = "qwen2");
std::shared_ptr<const Tokenizer> tiny_tokenizer(const std::string& pre_tokenizer = "qwen2");
// The pre-tokenisers that there are goldens of.
inline constexpr std::array kPreTokenizers{"qwen2", "llama-bpe", "smollm", "deepseek-coder",
                                           "default"};

// Encodes the texts of data/texts.json and compares with what the `tokenizers` package made of them
// (a file of data/, written by tools/reference/tokenizer_goldens.py).
void check_golden_ids(const Tokenizer& tokenizer, const std::string& golden_file);

}  // namespace redraft
