#pragma once

#include "decoding/model/gguf.h"
#include "decoding/text/tokenizer.h"
#include "support/result.h"

namespace redraft {

// What the file's metadata says about its tokenizer; the error names the key that is missing or
// wrong.
Result<TokenizerSpec> read_tokenizer_spec(const GgufFile& file);

}  // namespace redraft
