#include "indexing/syntax/grammar_table.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace redraft {
namespace {

constexpr std::string_view kFunctionValues =
    "arrow_function function_expression generator_function class function_definition";
constexpr std::string_view kParts =
    "else_clause elif_clause elseif_statement else_statement except_clause except_group_clause "
    "finally_clause catch_clause start_tag end_tag jsx_opening_element jsx_closing_element then "
    "document else elsif rescue ensure switch_label enum_body_declarations block_continuation";

struct LazyGrammar {
  std::once_flag once;
  std::unique_ptr<const Grammar> made;
};

NodeRole role_of(std::string_view name, const LanguageTypes& types) {
  NodeRole role;
  const auto definition =
      std::find_if(types.definitions.begin(), types.definitions.end(),
                   [&](const DefinitionType& type) { return type.node == name; });
  if (definition != types.definitions.end()) role.definition = &*definition;
  role.lone_wrapper = has_word(types.lone_wrappers, name);
  role.wrapper = role.lone_wrapper || has_word(types.wrappers, name);
  role.leading = has_word(types.leading, name);
  role.identifier =
      name == "identifier" || name.ends_with("_identifier") || has_word(types.identifiers, name);
  role.import = has_word(types.imports, name);
  role.function_value = has_word(kFunctionValues, name);
  role.sequence = has_word(types.sequences, name);
  role.part = has_word(kParts, name);
  return role;
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

Grammar::Grammar(const LanguageTypes& types)
    : language(types.grammar()),
      import_words(types.import_words),
      has_functions(std::ranges::any_of(
          types.definitions,
          [](const DefinitionType& type) { return type.kind == DefinitionKind::kFunction; })),
      scopes(find_scope_types(types.ids.substr(0, types.ids.find(' ')))),
      signatures(find_signature_types(types.ids.substr(0, types.ids.find(' ')))) {
  const std::uint32_t n_symbols = ts_language_symbol_count(language);
  roles.resize(n_symbols);
  for (std::uint32_t symbol = 0; symbol < n_symbols; ++symbol) {
    const auto id = static_cast<TSSymbol>(symbol);
    if (ts_language_symbol_type(language, id) == TSSymbolTypeRegular)
      roles[symbol] = role_of(ts_language_symbol_name(language, id), types);
  }
}

const NodeRole& Grammar::role(const TSNode& node) const {
  static constexpr NodeRole kNone{};
  const TSSymbol symbol = ts_node_symbol(node);
  return symbol < roles.size() ? roles[symbol] : kNone;  // errors have a symbol beyond all others
}

const Grammar* find_grammar(std::string_view language_id) {
  static std::vector<LazyGrammar> grammars(language_types().size());
  if (language_id.empty() || language_id.find(' ') != std::string_view::npos) return nullptr;
  const std::span<const LanguageTypes> all = language_types();
  const auto types = std::find_if(all.begin(), all.end(), [&](const LanguageTypes& each) {
    return has_word(each.ids, language_id);
  });
  if (types == all.end()) return nullptr;
  LazyGrammar& grammar = grammars[static_cast<std::size_t>(types - all.begin())];
  std::call_once(grammar.once, [&] { grammar.made = std::make_unique<const Grammar>(*types); });
  return grammar.made.get();
}

}  // namespace redraft
