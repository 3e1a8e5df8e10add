#pragma once

#include <filesystem>

#include "decoding/text/tokenizer.h"

namespace redraft {

// A vocabulary as tools/reference/tokenizer_goldens.py writes it: a JSON object with the fields of TokenizerSpec.
Result<TokenizerSpec> read_vocabulary(const std::filesystem::path& file);

}  // namespace redraft
