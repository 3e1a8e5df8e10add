#pragma once

#include <filesystem>

#include "support/json/json_document.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// The tokenizer of a Hugging Face folder: tokenizer.json and, if present, tokenizer_config.json,
// generation_config.json, chat_template.jinja and, of Gemma 4, config.json. Errors name the file,
// the key and the reason.
Result<TokenizerSpec> read_tokenizer_folder(const std::filesystem::path& folder);

// Reads tokenizer.json. It must be byte-level BPE whose pre-tokenizer is, step by step, one that
// redraft implements, or BPE of characters with the steps of Gemma's tokenizers (byte_fallback).
// Anything that would change the text is refused (except the normalizer NFC, which is ignored:
// redraft never normalises). Of the added tokens, special ones become control tokens and the others
// user-defined tokens. Neither is ever found in text, so the options for how the package would
// match them (lstrip, rstrip, single_word, normalized) do not matter. With byte_fallback, an added
// token that is not special and that a merge makes stays an ordinary one: Gemma's files list runs
// of line ends and spaces as added. The result does not refer to `file`.
Result<TokenizerSpec> read_tokenizer_json(const JsonDocument& file);

// Adds what tokenizer_config.json says about the tokens around a text and about the chat template.
Result<void> add_tokenizer_config(const JsonDocument& file, TokenizerSpec& spec);

// Adds what config.json says about how a model of Gemma 4 begins its answers.
Result<void> add_gemma4_config(const JsonDocument& file, TokenizerSpec& spec);

// Adds the stop tokens of generation_config.json.
Result<void> add_generation_config(const JsonDocument& file, TokenizerSpec& spec);

}  // namespace redraft
