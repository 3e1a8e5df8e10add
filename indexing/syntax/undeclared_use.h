#pragma once

#include <optional>
#include <string_view>

#include "indexing/syntax/name_places.h"
#include "indexing/syntax/name_uses.h"

namespace redraft {

// What the nodes around a place tell about a name that nothing declares there. Nothing: it need not
// be declared, as in an attribute or between a macro's brackets.
std::optional<UndeclaredUse> undeclared_use(const ScopeTypes& types, std::string_view text,
                                            const NamePlace& place);

}  // namespace redraft
