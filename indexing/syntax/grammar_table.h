#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "indexing/syntax/definition_types.h"

namespace redraft {

// What a node is to redraft.
struct NodeRole {
  const DefinitionType* definition = nullptr;
  bool wrapper = false;
  bool lone_wrapper = false;
  bool leading = false;
  bool identifier = false;
  bool function_value = false;  // what a definition that holds a function may hold
};

// A language's LanguageTypes, looked up by the grammar's own numbers.
struct Grammar {
  const TSLanguage* language;
  std::vector<NodeRole> roles;  // by symbol

  explicit Grammar(const LanguageTypes& types);
  const NodeRole& role(const TSNode& node) const;
};

// Of the languages that are known; lives as long as the program. Null when the id is unknown.
const Grammar* find_grammar(std::string_view language_id);

}  // namespace redraft
