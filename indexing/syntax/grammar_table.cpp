#include "indexing/syntax/grammar_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <memory>
#include <mutex>

#include "languages/languages.h"

extern "C" {
#define REDRAFT_LANGUAGE(row, name, folder) const TSLanguage* tree_sitter_##name();
#include "languages/languages.inc"
#undef REDRAFT_LANGUAGE
}

namespace redraft {
namespace {

struct Parser {
  std::string_view name;
  const TSLanguage* (*make)();
};
constexpr Parser kParsers[] = {
#define REDRAFT_LANGUAGE(row, name, folder) {#name, tree_sitter_##name},
#include "languages/languages.inc"
#undef REDRAFT_LANGUAGE
};

const Parser* find_parser(std::string_view name) {
  const auto* const found = std::ranges::find(kParsers, name, &Parser::name);
  return found == std::end(kParsers) ? nullptr : found;
}

const TSLanguage* parser_of(const Language& language) {
  const Parser* const parser = find_parser(language.grammar);
  assert(parser != nullptr);
  return parser->make();
}

struct LazyGrammar {
  std::once_flag once;
  std::unique_ptr<const Grammar> made;
};

NodeRole role_of(std::string_view name, const Language& language) {
  NodeRole role;
  const std::span<const DefinitionType> definitions = language.definitions;
  const auto definition = std::ranges::find(definitions, name, &DefinitionType::node);
  if (definition != definitions.end()) role.definition = &*definition;
  role.lone_wrapper = has_word(language.lone_wrappers, name);
  role.wrapper = role.lone_wrapper || has_word(language.wrappers, name);
  role.leading = has_word(language.leading, name);
  role.identifier =
      name == "identifier" || name.ends_with("_identifier") || has_word(language.identifiers, name);
  role.import = has_word(language.imports, name);
  role.import_head = has_word(language.import_heads, name);
  role.function_value = has_word(language.function_values, name);
  role.sequence = has_word(language.sequences, name);
  role.part = has_word(language.parts, name);
  return role;
}

}  // namespace

Grammar::Grammar(const Language& row)
    : parser(parser_of(row)),
      language(row),
      has_functions(std::ranges::any_of(*row.definitions, [](const DefinitionType& type) {
        return type.kind == DefinitionKind::kFunction;
      })) {
  const std::uint32_t n_symbols = ts_language_symbol_count(parser);
  roles.resize(n_symbols);
  for (std::uint32_t symbol = 0; symbol < n_symbols; ++symbol) {
    const auto id = static_cast<TSSymbol>(symbol);
    if (ts_language_symbol_type(parser, id) == TSSymbolTypeRegular)
      roles[symbol] = role_of(ts_language_symbol_name(parser, id), language);
  }
}

const NodeRole& Grammar::role(const TSNode& node) const {
  static constexpr NodeRole kNone{};
  const TSSymbol symbol = ts_node_symbol(node);
  return symbol < roles.size() ? roles[symbol] : kNone;  // errors have a symbol beyond all others
}

const Grammar* find_grammar(std::string_view language_id) {
  static std::array<LazyGrammar, std::size(kParsers)> grammars;
  const Language* const language = find_language(language_id);
  const Parser* const parser = language == nullptr ? nullptr : find_parser(language->grammar);
  if (parser == nullptr) return nullptr;
  LazyGrammar& grammar = grammars[static_cast<std::size_t>(parser - kParsers)];
  std::call_once(grammar.once, [&] { grammar.made = std::make_unique<const Grammar>(*language); });
  return grammar.made.get();
}

}  // namespace redraft
