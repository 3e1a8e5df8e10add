#pragma once

#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft::lsp {

using Json = nlohmann::json;

inline constexpr int kNestingLimit = 256;
// A value takes up to some hundred bytes of memory, however short its text is. "Replace all" at
// 100,000 places stays below this limit.
inline constexpr std::size_t kValueLimit = std::size_t{1} << 20;

// Whether the text has more than kValueLimit array elements and object members. Allocates no
// memory.
bool has_too_many_values(std::string_view text);

// Parses text from an untrusted peer. Malformed JSON, invalid UTF-8, nesting beyond kNestingLimit
// and more than kValueLimit values are errors. A lone surrogate escape becomes U+FFFD; editors do
// send half an emoji.
Result<Json> parse_json(std::string_view text);

// nlohmann_json's message without its own error codes.
std::string reason(const std::exception& failure);

// Serializes to one line. Never fails: bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& value);

}  // namespace redraft::lsp
