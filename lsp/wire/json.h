#pragma once

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft::lsp {

using Json = nlohmann::json;

inline constexpr int kNestingLimit = 256;

// Text from a peer that is not trusted: an error for malformed JSON, invalid UTF-8 and nesting
// beyond kNestingLimit. A lone surrogate escape, which editors do send for half an emoji, becomes
// U+FFFD.
Result<Json> parse_json(std::string_view text);

// What nlohmann_json says is wrong, without its own error codes.
std::string reason(const std::exception& failure);

// One line. Never fails: bytes that are not UTF-8 become U+FFFD.
std::string to_text(const Json& value);

}  // namespace redraft::lsp
