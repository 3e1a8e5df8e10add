#include "languages/languages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "indexing/syntax/grammar_table.h"
#include "languages/languages.h"
#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

class EachLanguage : public testing::TestWithParam<Sample> {};

TEST_P(EachLanguage, HasNoErrorsInItsSample) {
  const SyntaxTree tree = parse(MarkedText(GetParam().marked).text, GetParam().language);
  for (const SyntaxError& error : tree.errors())
    ADD_FAILURE() << "at byte " << error.range.begin << ": " << at(tree, error.range);
}

TEST_P(EachLanguage, NamesItsDefinitions) {
  EXPECT_EQ(names(parse(MarkedText(GetParam().marked).text, GetParam().language)),
            GetParam().names);
}

TEST_P(EachLanguage, FindsTheSymbolAtTheCursor) {
  const MarkedText marked(GetParam().marked);
  const SyntaxTree tree = parse(marked.text, GetParam().language);
  const std::optional<Definition> found = tree.enclosing_definition(marked.cursor);
  ASSERT_TRUE(found);
  EXPECT_EQ(at(tree, found->range), at(tree, *marked.range));
}

TEST_P(EachLanguage, SymbolsAreDefinitions) {
  const SyntaxTree tree = parse(MarkedText(GetParam().marked).text, GetParam().language);
  const std::vector<Definition> all = tree.definitions();
  for (std::size_t offset = 0; offset <= tree.text().size(); ++offset) {
    if (const std::optional<Definition> found = tree.enclosing_definition(offset)) {
      EXPECT_THAT(all, testing::Contains(*found)) << "at byte " << offset;
    }
  }
}

TEST_P(EachLanguage, WithOtherLineEndingsIsTheSame) {
  std::string text = MarkedText(GetParam().marked).text;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\r');
  const SyntaxTree tree = parse(text, GetParam().language);
  EXPECT_EQ(names(tree), GetParam().names);
  EXPECT_FALSE(tree.has_errors());
}

INSTANTIATE_TEST_SUITE_P(Samples, EachLanguage, testing::ValuesIn(samples()),
                         [](const auto& sample) { return std::string(sample.param.language); });

// Whether the grammar has a node of that name.
bool has_node(const Grammar& grammar, std::string_view name) {
  const std::uint32_t count = ts_language_symbol_count(grammar.parser);
  for (std::uint32_t symbol = 0; symbol < count; ++symbol) {
    const auto id = static_cast<TSSymbol>(symbol);
    if (ts_language_symbol_type(grammar.parser, id) == TSSymbolTypeRegular &&
        ts_language_symbol_name(grammar.parser, id) == name)
      return true;
  }
  return false;
}

TEST(Languages, WithAGrammarHaveASample) {
  std::vector<std::string_view> sampled, known;
  for (const Sample& sample : samples()) sampled.push_back(sample.language);
  for (const Language* language : languages()) {
    if (language->has_grammar()) known.push_back(language->id());
  }
  EXPECT_THAT(sampled, testing::UnorderedElementsAreArray(known));
}

TEST(Languages, NameNodesThatTheirGrammarHas) {
  for (const Language* language : languages()) {
    if (!language->has_grammar()) continue;
    const Grammar& grammar = *find_grammar(language->id());
    for (const DefinitionType& type : *language->definitions)
      EXPECT_TRUE(has_node(grammar, type.node)) << language->id() << ": " << type.node;
    for (const std::string_view list : {*language->parts, *language->imports,
                                        *language->import_heads, *language->function_values}) {
      for (const std::string_view node : split_words(list))
        EXPECT_TRUE(has_node(grammar, node)) << language->id() << ": " << node;
    }
  }
}

// Languages of a family share lists, so one of their grammars has the node or the field.
bool any_has(const Language& language, std::string_view name, bool is_field) {
  return std::ranges::any_of(languages(), [&](const Language* each) {
    if (!each->has_grammar() || each->family() != language.family()) return false;
    const Grammar& grammar = *find_grammar(each->id());
    const auto size = static_cast<std::uint32_t>(name.size());
    if (is_field) return ts_language_field_id_for_name(grammar.parser, name.data(), size) != 0;
    return ts_language_symbol_for_name(grammar.parser, name.data(), size, true) != 0 ||
           ts_language_symbol_for_name(grammar.parser, name.data(), size, false) != 0;
  });
}

// What is wrong with a node or a place as in ScopeTypes: "type.field", "type+", "type-",
// "type?field", "outer>type".
std::string fault_of(const Language& language, std::string_view place) {
  const std::string_view outer = place.substr(0, place.find('>'));
  if (outer.size() < place.size()) {
    if (!any_has(language, outer, false)) return "no node " + std::string(outer);
    place.remove_prefix(outer.size() + 1);
  }
  const std::string_view where = place.substr(0, place.find('?'));
  std::string_view type = where.substr(0, where.find('.'));
  if (type.ends_with('+') || type.ends_with('-')) type.remove_suffix(1);
  if (!any_has(language, type, false)) return "no node " + std::string(type);
  if (const std::size_t dot = where.find('.'); dot != where.npos) {
    const std::string_view field = where.substr(dot + 1);
    if (!any_has(language, field, true)) return "no field " + std::string(field);
  }
  if (where.size() == place.size()) return {};
  std::string_view child = place.substr(where.size() + 1);
  if (child.starts_with('!')) child.remove_prefix(1);
  const bool is_any = any_has(language, child, true) || any_has(language, child, false);
  return is_any ? "" : "no child " + std::string(child);
}

std::vector<std::string_view> places_of(const ScopeTypes& scopes) {
  return {scopes.functions,
          scopes.blocks,
          scopes.types,
          scopes.here,
          scopes.around,
          scopes.in_function,
          scopes.parameters,
          scopes.patterns,
          scopes.parameter_lists,
          scopes.member_declarations,
          scopes.components,
          scopes.member_parameters,
          scopes.embedded,
          scopes.interfaces,
          scopes.first_outside,
          scopes.type_texts,
          scopes.statements,
          scopes.conditions,
          scopes.loops,
          scopes.members,
          scopes.qualified,
          scopes.keys,
          scopes.apart,
          scopes.callables,
          scopes.arguments,
          scopes.fields,
          scopes.structural_types,
          scopes.matched,
          scopes.constructions,
          scopes.shorthand,
          scopes.imports,
          scopes.member_imports,
          scopes.exports,
          scopes.outside,
          scopes.unsure,
          scopes.unsure_places,
          scopes.foreign,
          scopes.base_nodes,
          scopes.interface_nodes,
          scopes.free,
          scopes.hoisting,
          scopes.type_places};
}

std::vector<std::string_view> places_of(const SignatureTypes& signatures) {
  return {signatures.parameter_lists, signatures.argument_lists,
          signatures.optional,        signatures.rest,
          signatures.named_rest,      signatures.receivers,
          signatures.by_place_before, signatures.by_name_behind,
          signatures.several,         signatures.calls,
          signatures.callee_parts,    signatures.spreads,
          signatures.effects,         signatures.attributes,
          signatures.takers};
}

std::vector<std::string_view> places_of(const ContainerTypes& containers) {
  return {containers.cases, containers.fields, containers.methods, containers.entries};
}

TEST(Languages, NameContainersThatTheirGrammarHas) {
  for (const Language* language : languages()) {
    if (*language->containers == nullptr) continue;
    for (const std::string_view list : places_of(**language->containers)) {
      for (const std::string_view place : split_words(list))
        EXPECT_EQ(fault_of(*language, place), "") << language->id() << ": " << place;
    }
  }
}

TEST(Languages, NamePlacesThatTheirGrammarHas) {
  for (const Language* language : languages()) {
    if (*language->scopes == nullptr) continue;
    std::vector<std::string_view> lists = places_of(**language->scopes);
    if (*language->signatures != nullptr) {
      for (const std::string_view list : places_of(**language->signatures)) lists.push_back(list);
    }
    for (const std::string_view list : lists) {
      for (const std::string_view place : split_words(list))
        EXPECT_EQ(fault_of(*language, place), "") << language->id() << ": " << place;
    }
  }
}

TEST(Languages, WithSignaturesHaveLists) {
  for (const Language* language : languages()) {
    if (*language->signatures == nullptr) continue;
    EXPECT_NE((*language->signatures)->parameter_lists, "") << language->id();
    EXPECT_NE((*language->signatures)->argument_lists, "") << language->id();
  }
}

TEST(Languages, HaveCasesForWhatRedraftDoesInThem) {
  const std::filesystem::path cases = std::filesystem::path(REDRAFT_SOURCES) / "tests/cases";
  const auto check = [&](std::string_view kind, const Language& language) {
    const std::string name = std::string(language.id()) + "." + std::string(kind);
    EXPECT_TRUE(exists(cases / kind / name)) << "write tests/cases/" << kind << "/" << name;
  };
  for (const Language* language : languages()) {
    if (*language->scopes != nullptr) check("renames", *language);
    if (*language->signatures != nullptr) check("calls", *language);
  }
}

TEST(Languages, AreKnownByTheirIds) {
  for (const char* id : {"c", "cpp", "javascriptreact", "sh", "jsonc", "cuda-cpp", "cs"})
    EXPECT_TRUE(SyntaxTree::knows(id)) << id;
  for (const char* id : {"", "haskell", "plaintext", "shellscript sh", " ", "script", "p"})
    EXPECT_FALSE(SyntaxTree::knows(id)) << id;
  EXPECT_FALSE(try_parse("x", "plaintext"));
}

}  // namespace
}  // namespace redraft
