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
// A value takes up to some hundred bytes of memory, however short it is in the text. "Replace all"
// of 100,000 places is below this.
inline constexpr std::size_t kValueLimit = std::size_t{1} << 20;

// Whether it has more than kValueLimit elements of arrays and members of objects. Takes no memory.
bool has_too_many_values(std::string_view text);

// Parses text from an untrusted peer: malformed JSON, invalid UTF-8, nesting beyond kNestingLimit
// and more than kValueLimit values are errors. A lone surrogate escape, which editors do send for
// half an emoji, becomes U+FFFD.
Result<Json> parse_json(std::string_view text);

// What nlohmann_json reports, without its own error codes.
std::string reason(const std::exception& failure);

// On one line. Never fails: bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& value);

}  // namespace redraft::lsp
