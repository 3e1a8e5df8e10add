#pragma once

#include "decoding/model/gguf.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// What the file's metadata says about its tokenizer; the error names the key that is missing or
// wrong.
Result<TokenizerSpec> read_tokenizer_spec(const GgufFile& file);

}  // namespace redraft
