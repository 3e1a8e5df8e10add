#pragma once

#include <string_view>
#include <variant>

#include "http/api/generation.h"

namespace redraft::http {

// The maximum number of stop strings. OpenAI allows 4, but clients of local servers send all tokens
// and words that end a completion in some model or language.
inline constexpr std::size_t kMaxStops = 128;

// Parses the untrusted request in `body`: JSON within the limits of lsp::parse_json that contains
// only supported fields. docs/http.md lists them.
std::variant<Generation, ApiError> read_generation(Interface interface, std::string_view body);

}  // namespace redraft::http
