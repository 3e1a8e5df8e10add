#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Languages, AreKnownByTheirIds) {
  for (const char* id : {"c", "cpp", "javascriptreact", "sh", "jsonc", "cuda-cpp", "cs"})
    EXPECT_TRUE(SyntaxTree::knows(id)) << id;
  for (const char* id : {"", "haskell", "plaintext", "shellscript sh", " ", "script", "p"})
    EXPECT_FALSE(SyntaxTree::knows(id)) << id;
  EXPECT_FALSE(try_parse("x", "plaintext"));
}

}  // namespace
}  // namespace redraft
