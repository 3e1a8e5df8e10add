// A tree that results from edits equals the tree of the text.
#include <gtest/gtest.h>

#include <random>

#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

struct Splice {
  std::size_t at;
  std::size_t removed;
  std::string added;
};

std::string random_bytes(const std::string& text, std::mt19937& random) {
  static constexpr const char* kPieces[] = {"(", ")",    "{",   "}", "\"", "'",  "\n",
                                            " ", "x",    "\t",  "é", "#",  "/*", "*/",
                                            ";", "def ", "end", "😀", ":",  "<",  "\r\n"};
  std::string bytes;
  const int n = static_cast<int>(random() % 4);
  for (int i = 0; i < n; ++i) {
    if (random() % 3 == 0 && !text.empty()) {
      bytes += text.substr(random() % text.size(), random() % 12);
    } else {
      bytes += kPieces[random() % std::size(kPieces)];
    }
  }
  return bytes;
}

Splice random_splice(const std::string& text, std::mt19937& random) {
  const std::size_t at = random() % (text.size() + 1);
  return {at, std::min<std::size_t>(random() % 20, text.size() - at), random_bytes(text, random)};
}

std::string with(std::string text, const Splice& splice) {
  return text.replace(splice.at, splice.removed, splice.added);
}

class Incremental : public testing::TestWithParam<Sample> {
 protected:
  const std::string text_ = MarkedText(GetParam().marked).text;

  SyntaxTree fresh(const std::string& text) const { return parse(text, GetParam().language); }
};

SyntaxTree edited(const SyntaxTree& tree, const std::string& text) {
  return *tree.edited(std::make_shared<const std::string>(text));
}

// How tree-sitter recovers from an error may depend on what it reuses; without errors the tree is
// unique.
TEST_P(Incremental, IsTheTreeOfTheText) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    SyntaxTree tree = fresh(text_);
    std::string text = text_;
    std::vector<std::string> undo;
    for (int step = 0; step < 6; ++step) {
      undo.push_back(text);
      text = with(text, random_splice(text, random));
      tree = edited(tree, text);
      const SyntaxTree expected = fresh(text);
      ASSERT_EQ(tree.text(), text);
      if (!expected.has_errors()) {
        ASSERT_TRUE(tree.same_structure(expected)) << "seed " << seed << ":\n" << text;
      }
    }
    for (; !undo.empty(); undo.pop_back()) tree = edited(tree, undo.back());
    ASSERT_TRUE(tree.same_structure(fresh(text_))) << "seed " << seed;
  }
}

// Whatever the tree, everything read from it is within the text.
TEST_P(Incremental, NeverPointsOutsideTheText) {
  std::mt19937 random(7);
  SyntaxTree tree = fresh(text_);
  std::string text = text_;
  for (int step = 0; step < 60; ++step) {
    text = with(text, random_splice(text, random));
    tree = edited(tree, text);
    for (const Definition& definition : tree.definitions()) {
      ASSERT_LE(definition.range.begin, definition.range.end);
      ASSERT_LE(definition.range.end, text.size());
      ASSERT_LE(definition.name.end, text.size());
    }
    for (const ByteRange& identifier : tree.identifiers({0, text.size()}))
      ASSERT_LE(identifier.end, text.size());
    for (const SyntaxError& error : tree.errors()) ASSERT_LE(error.range.end, text.size());
    for (const std::size_t token : tree.line_tokens()) ASSERT_LT(token, text.size());
    for (int i = 0; i < 5; ++i) (void)tree.enclosing_definition(random() % (text.size() + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Incremental, testing::ValuesIn(samples()),
                         [](const auto& sample) { return std::string(sample.param.language); });

}  // namespace
}  // namespace redraft
