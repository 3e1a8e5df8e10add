#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft::lsp {

using Json = nlohmann::json;

inline constexpr int kNestingLimit = 256;

// Parses text from an untrusted peer: malformed JSON, invalid UTF-8 and nesting beyond
// kNestingLimit are errors. A lone surrogate escape, which editors do send for half an emoji,
// becomes U+FFFD.
Result<Json> parse_json(std::string_view text);

// What nlohmann_json reports, without its own error codes.
std::string reason(const std::exception& failure);

// On one line. Never fails: bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& value);

}  // namespace redraft::lsp
