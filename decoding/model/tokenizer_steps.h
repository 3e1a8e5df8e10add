#pragma once

#include <optional>
#include <string>

#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// What tokenizer.json does to a text before and after the model proper. `root` is the root of the
// file.

// Checks that no step changes the text: no normalizer except NFC, and byte-level tokens decoded as
// they are.
Result<void> check_text_stays(const JsonValue& root);

// Checks that the steps are those of Gemma's tokenizers: U+2581 for a space and back, bytes for
// characters that have no token, and no words.
Result<void> check_marked_spaces(const JsonValue& root);

// The name, for find_pre_tokenizer(), of the pre-tokenizer that does exactly these steps.
Result<std::string> read_pre_tokenizer(const JsonValue& root);

// The token that the post-processor puts before a text: its spelling, or nothing.
Result<std::optional<JsonValue>> read_first_token(const JsonValue& root);

}  // namespace redraft
