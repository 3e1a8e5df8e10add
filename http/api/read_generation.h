#pragma once

#include <string_view>
#include <variant>

#include "http/api/generation.h"

namespace redraft::http {

// The most strings that may end an answer.
inline constexpr std::size_t kMaxStops = 4;

// The request in `body`, which is not trusted: JSON within the limits of lsp::parse_json, with
// fields that are supported, and no others. docs/http.md has the list.
std::variant<Generation, ApiError> read_generation(Interface interface, std::string_view body);

}  // namespace redraft::http
