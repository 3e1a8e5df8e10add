#include "languages/languages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "indexing/syntax/grammar_table.h"
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

TEST(Languages, AreKnownByTheirIds) {
  for (const char* id : {"c", "cpp", "javascriptreact", "sh", "jsonc", "cuda-cpp", "cs"})
    EXPECT_TRUE(SyntaxTree::knows(id)) << id;
  for (const char* id : {"", "haskell", "plaintext", "shellscript sh", " ", "script", "p"})
    EXPECT_FALSE(SyntaxTree::knows(id)) << id;
  EXPECT_FALSE(try_parse("x", "plaintext"));
}

}  // namespace
}  // namespace redraft
