#pragma once

#include <filesystem>

#include "decoding/text/tokenizer.h"
#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// The tokenizer of a Hugging Face folder: tokenizer.json and, where they are there,
// tokenizer_config.json, generation_config.json and chat_template.jinja. Errors name the file, the
// key and the reason.
Result<TokenizerSpec> read_tokenizer_folder(const std::filesystem::path& folder);

// What tokenizer.json says. Byte-level BPE whose pre-tokenizer is, step by step, one that redraft
// has; anything that would change the text (a normalizer but NFC, which is left out: redraft never
// normalises) is refused. Of added tokens the special ones become control tokens, the others
// user-defined ones: neither is ever found in text, so how the package would look for them (lstrip,
// rstrip, single_word, normalized) does not matter. `file` is needed no longer afterwards.
Result<TokenizerSpec> read_tokenizer_json(const JsonDocument& file);

// Adds what tokenizer_config.json says of the tokens around a text, and of the chat template.
Result<void> add_tokenizer_config(const JsonDocument& file, TokenizerSpec& spec);

// Adds the tokens at which generation_config.json stops.
Result<void> add_generation_config(const JsonDocument& file, TokenizerSpec& spec);

}  // namespace redraft
