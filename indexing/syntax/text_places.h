#pragma once

#include <cstddef>
#include <string_view>

#include "indexing/syntax/name_places.h"

namespace redraft {

// Sets the role of a place of `name` within the string path[index]: a type in quotes, a text that
// documents, a string that is the name or a path with it, or nothing of these.
void read_text_place(const ScopeTypes& types, std::string_view text, std::string_view name,
                     std::size_t index, NamePlace& place);

}  // namespace redraft
