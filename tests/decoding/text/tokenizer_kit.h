#pragma once

#include <memory>
#include <string>

#include "decoding/text/tokenizer.h"

namespace redraft {

// The small vocabulary in data/tiny.json: all bytes, some merges, four special tokens. With Qwen's
// pre-tokeniser.
TokenizerSpec tiny_spec();
std::shared_ptr<const Tokenizer> tiny_tokenizer();

// Encodes the texts of data/texts.json and compares with what the `tokenizers` package made of them
// (a file of data/, written by tools/reference/tokenizer_goldens.py).
void check_golden_ids(const Tokenizer& tokenizer, const std::string& golden_file);

}  // namespace redraft
