#pragma once

#include <memory>

#include "decoding/text/tokenizer.h"

namespace redraft {

// One token a byte, and Qwen's special tokens: a real Tokenizer that needs no vocabulary file.
std::shared_ptr<const Tokenizer> byte_tokenizer();

}  // namespace redraft
