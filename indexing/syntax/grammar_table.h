#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "indexing/syntax/definition_types.h"
#include "indexing/syntax/scope_types.h"
#include "indexing/syntax/signature_types.h"

namespace redraft {

// What redraft makes of a node.
struct NodeRole {
  const DefinitionType* definition = nullptr;
  bool wrapper = false;
  bool lone_wrapper = false;
  bool leading = false;
  bool identifier = false;
  bool import = false;
  // The value of a definition with DefinitionTest::kHoldsFunction may be such a node.
  bool function_value = false;
  bool sequence = false;
  bool part = false;  // of a unit, even in a sequence: an `else`, an opening tag
};

// A language's LanguageTypes, indexed by the grammar's own symbols.
struct Grammar {
  const TSLanguage* language;
  std::string_view import_words;     // LanguageTypes::import_words
  bool has_functions;                // it is no language of data or markup
  const ScopeTypes* scopes;          // null: names are not followed
  std::vector<NodeRole> roles;       // by symbol
  const SignatureTypes* signatures;  // null: parameters are not known

  explicit Grammar(const LanguageTypes& types);
  const NodeRole& role(const TSNode& node) const;
};

// Whether `word` is one of `words`, which are separated by spaces.
bool has_word(std::string_view words, std::string_view word);

// The grammar of a known language; lives as long as the program. Null if the id is unknown.
const Grammar* find_grammar(std::string_view language_id);

}  // namespace redraft
