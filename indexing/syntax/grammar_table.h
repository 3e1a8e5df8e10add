#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "languages/language.h"
#include "text/strings/word_list.h"

namespace redraft {

// What a node means to redraft, by its type.
struct NodeRole {
  const DefinitionType* definition = nullptr;
  bool wrapper = false;
  bool lone_wrapper = false;
  bool leading = false;
  bool identifier = false;
  bool import = false;
  bool import_head = false;  // stands above a file's imports
  // A definition with DefinitionTest::kHoldsFunction may have it as its value.
  bool function_value = false;
  bool sequence = false;
  bool part = false;  // belongs to the statement around it, even in a sequence
};

// A tree-sitter parser, and what a language's row says about its nodes.
struct Grammar {
  const TSLanguage* parser;
  const Language& language;
  bool has_functions;           // false for data and markup
  std::vector<NodeRole> roles;  // by the parser's symbols

  // The row has to name a grammar that languages.inc lists.
  explicit Grammar(const Language& row);
  const NodeRole& role(const TSNode& node) const;
  const ScopeTypes* scopes() const { return language.scopes; }              // may be null
  const SignatureTypes* signatures() const { return language.signatures; }  // may be null
};

// Lives as long as the program; any thread may call this. Null if the language is unknown or has no
// grammar.
const Grammar* find_grammar(std::string_view language_id);

}  // namespace redraft
