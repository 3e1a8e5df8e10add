#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "indexing/store/stored_definition.h"
#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// Named functions and types; StoredDefinition::text is left 0.
std::vector<StoredDefinition> stored_definitions(const SyntaxTree& tree);
// The same for a text that has not been parsed; empty if the language is unknown.
std::vector<StoredDefinition> stored_definitions(const std::string& text,
                                                 std::string_view language_id,
                                                 const ParseLimits& limits = {});

}  // namespace redraft
