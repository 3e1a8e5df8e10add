#pragma once

#include <array>
#include <memory>
#include <string>

#include "text/tokenizer.h"

namespace redraft {

// The small vocabulary in data/tiny.json: all bytes, some merges, four special tokens, with the
// given pre-tokeniser. For "gemma4" that in data/tiny_gemma4.json, with other special tokens.
TokenizerSpec tiny_spec(const std::string& pre_tokenizer = "qwen2");
std::shared_ptr<const Tokenizer> tiny_tokenizer(const std::string& pre_tokenizer = "qwen2");
// The pre-tokenisers for which there are goldens: those of byte-level vocabularies, and all.
inline constexpr std::array kBytePreTokenizers{"qwen2",      "qwen35",         "llama-bpe",
                                               "seed-coder", "gpt-4o",         "tekken",
                                               "smollm",     "deepseek-coder", "default"};
inline constexpr std::array kPreTokenizers{"qwen2",   "qwen35", "llama-bpe", "seed-coder",
                                           "gpt-4o",  "tekken", "smollm",    "deepseek-coder",
                                           "default", "gemma4"};

// Encodes the texts of data/texts.json and compares the result with that of the `tokenizers`
// package (a file of data/, written by tools/reference/tokenizer_goldens.py).
void check_golden_ids(const Tokenizer& tokenizer, const std::string& golden_file);

}  // namespace redraft
