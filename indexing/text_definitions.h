#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "indexing/store/stored_definition.h"
#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// Functions and types that have names; StoredDefinition::text is left 0.
std::vector<StoredDefinition> stored_definitions(const SyntaxTree& tree);
// The same of a text that is not parsed yet; none where nobody knows its language.
std::vector<StoredDefinition> stored_definitions(const std::string& text,
                                                 std::string_view language_id,
                                                 const ParseLimits& limits = {});

}  // namespace redraft
