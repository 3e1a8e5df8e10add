#pragma once

#include <string_view>
#include <variant>

#include "http/api/generation.h"

namespace redraft::http {

// The maximum number of stop strings.
inline constexpr std::size_t kMaxStops = 4;

// Parses the untrusted request in `body`: JSON within the limits of lsp::parse_json that contains
// only supported fields. docs/http.md lists them.
std::variant<Generation, ApiError> read_generation(Interface interface, std::string_view body);

}  // namespace redraft::http
