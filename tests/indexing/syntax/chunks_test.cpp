#include "indexing/syntax/chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> pieces(const std::string& text, const std::vector<Definition>& definitions,
                                std::size_t most) {
  std::vector<std::string> found;
  for (const ByteRange& range : chunks(text, definitions, most))
    found.push_back(text.substr(range.begin, range.size()));
  return found;
}

TEST(Chunks, BreakBetweenDefinitions) {
  const std::string text =
      "import os\n\n# First.\ndef f():\n    return 1\n\ndef g():\n    return 2\n";
  EXPECT_THAT(pieces(text, parse(text, "python").definitions(), 40),
              ElementsAre("import os\n\n", "# First.\ndef f():\n    return 1\n\n",
                          "def g():\n    return 2\n"));
}

TEST(Chunks, BreakLargeDefinitionsAtTheInnerOnes) {
  const std::string text =
      "class A {\n  void f() {\n    x();\n  }\n  void g() {\n    y();\n  }\n}\n";
  EXPECT_THAT(
      pieces(text, parse(text, "java").definitions(), 50),
      ElementsAre("class A {\n  void f() {\n    x();\n  }\n", "  void g() {\n    y();\n  }\n}\n"));
}

TEST(Chunks, BreakBetweenLinesWhereNothingIsKnown) {
  EXPECT_THAT(pieces("one\ntwo\nthree\n", {}, 9), ElementsAre("one\ntwo\n", "three\n"));
  EXPECT_THAT(pieces("one\n", {}, 9), ElementsAre("one\n"));
  EXPECT_THAT(pieces("", {}, 9), IsEmpty());
}

TEST(Chunks, BreakLongLinesBetweenCharacters) {
  EXPECT_THAT(pieces("ééééé", {}, 5), ElementsAre("éé", "éé", "é"));
  EXPECT_THAT(pieces("😀😀", {}, 4), ElementsAre("😀", "😀"));
}

TEST(Chunks, LeaveNothingOut) {
  for (const Sample& sample : samples()) {
    const std::string text = MarkedText(sample.marked).text;
    const std::vector<Definition> definitions = parse(text, sample.language).definitions();
    for (std::size_t most = 4; most < text.size() + 2; most += 5) {
      std::string joined;
      for (const std::string& piece : pieces(text, definitions, most)) {
        EXPECT_LE(piece.size(), most);
        EXPECT_FALSE(piece.empty());
        joined += piece;
      }
      ASSERT_EQ(joined, text);
    }
  }
}

}  // namespace
}  // namespace redraft
