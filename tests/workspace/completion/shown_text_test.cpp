#include "workspace/completion/shown_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace redraft {
namespace {

using Tokens = std::vector<std::pair<std::string_view, double>>;  // with their probabilities

constexpr CompletionShape kLine;
constexpr CompletionShape kLines{.single_line = false, .max_lines = 24};

std::string shown(const Tokens& tokens, double least, const CompletionShape& shape = kLine,
                  std::string_view suffix = "\n") {
  ShownText text(shape, {"", suffix}, least);
  for (const auto& [bytes, probability] : tokens) {
    if (!text.add(bytes, std::log(probability))) return text.text(false);
  }
  text.finish();
  return text.text(false);
}

TEST(ShownText, EndsWhereTheProbabilityOfTheWholeFallsBelowTheThreshold) {
  const Tokens tokens = {{"width", 0.9}, {" *", 0.9}, {" height", 0.9}, {" + 1", 0.5}};
  EXPECT_EQ(shown(tokens, 0), "width * height + 1");
  EXPECT_EQ(shown(tokens, 0.3), "width * height + 1");
  EXPECT_EQ(shown(tokens, 0.4), "width * height");
  EXPECT_EQ(shown(tokens, 0.8), "width *");
  EXPECT_EQ(shown(tokens, 0.95), "");
  EXPECT_EQ(shown({{"sure", 1}}, 1), "sure");
}

TEST(ShownText, ShowsNothingMoreOnceTheGateIsClosed) {
  ShownText text(kLine, {"", "\n"}, 0.5);
  EXPECT_TRUE(text.add("a", std::log(0.6)));
  EXPECT_FALSE(text.add(" b", std::log(0.6)));
  EXPECT_TRUE(text.is_gated());
  EXPECT_FALSE(text.add(" c", 0)) << "what follows stands behind what is not shown";
  EXPECT_EQ(text.written(), "a");
  EXPECT_EQ(text.text(false), "a");
}

TEST(ShownText, ATextThatIsCompleteIsNotGated) {
  ShownText text(kLine, {"", "\n"}, 0.5);
  EXPECT_TRUE(text.add("a", std::log(0.6)));
  EXPECT_FALSE(text.add("\n", std::log(0.9)));
  EXPECT_FALSE(text.is_gated());
  EXPECT_EQ(text.text(false), "a");
}

TEST(ShownText, ShowsNothingForNaNProbabilities) {
  ShownText text(kLine, {"", "\n"}, 0.1);
  EXPECT_FALSE(text.add("a", std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(text.text(false), "");
  ShownText free(kLine, {"", "\n"}, 0);
  EXPECT_TRUE(free.add("a", std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(free.text(false), "a");
}

TEST(ShownText, HasNoPartOfACharacter) {
  const Tokens tokens = {{"f(\"", 1}, {"\xE6\x97", 0.9}, {"\xA5", 0.5}, {"\"", 1}};
  EXPECT_EQ(shown(tokens, 0.1), "f(\"\xE6\x97\xA5\"");
  EXPECT_EQ(shown(tokens, 0.8), "f(\"");
}

// A part of a name reads as another name, a part of a line as another line.
TEST(ShownText, EndsBeforeAWordOrALineThatItDoesNotHaveAllOf) {
  EXPECT_EQ(shown({{"self", 1}, {".current", 0.9}, {"_depth", 0.5}}, 0.8), "self.");
  EXPECT_EQ(shown({{"cur", 0.9}, {"rent", 0.5}}, 0.8), "");
  EXPECT_EQ(shown({{"f", 1}, {"(x", 0.9}, {", y", 0.5}}, 0.8), "f(x");
  const Tokens lines = {{"a = f(1)\n", 1}, {"b", 1}, {" = g(", 0.9}, {"2", 0.5}, {")\n", 1}};
  EXPECT_EQ(shown(lines, 0.8, kLines), "a = f(1)");
  EXPECT_EQ(shown(lines, 0.4, kLines), "a = f(1)\nb = g(2)");
  const Tokens ends = {{"a = f(1)\n", 1}, {"b = g(2)", 0.9}, {"\n", 0.5}, {"c", 1}};
  EXPECT_EQ(shown(ends, 0.8, kLines), "a = f(1)\nb = g(2)") << "it is not sure that more comes";
}

TEST(ShownText, ShowsNoKeywordOrOpeningMarkAlone) {
  const CompletionShape statement{.keywords = "if return while"};
  const Tokens tokens = {{"return", 1}, {" width", 0.4}};
  EXPECT_EQ(shown(tokens, 0.5, statement), "");
  EXPECT_EQ(shown(tokens, 0.3, statement), "return width");
  EXPECT_EQ(shown({{"return", 1}, {"\n", 1}}, 0.5, statement), "return") << "it is all there is";
  EXPECT_EQ(shown({{"returned", 1}, {" = 1", 0.4}}, 0.5, statement), "returned");
  EXPECT_EQ(shown(tokens, 0.5), "return") << "not where a statement begins";
  EXPECT_EQ(shown({{"('", 1}, {"name", 0.4}}, 0.5), "");
  EXPECT_EQ(shown({{"(a", 1}, {" name", 0.4}}, 0.5), "(a");
}

TEST(ShownText, BlanksAloneAreNothing) {
  EXPECT_EQ(shown({{"    ", 1}, {"x", 0.1}}, 0.5), "");
  EXPECT_EQ(shown({{"\n", 1}, {"    ", 1}, {"x", 0.1}}, 0.5, kLines), "");
}

TEST(ShownText, BeforeALineItHasWholeLines) {
  const CompletionShape before{.single_line = false, .max_lines = 24, .before_line = true};
  const Tokens tokens = {{"a()\n", 1}, {"b(", 0.9}, {"c)\n", 0.1}, {"d()\n", 1}};
  EXPECT_EQ(shown(tokens, 0.5, before, "e()\n"), "a()\n") << "b( would be joined to e()";
  EXPECT_EQ(shown({{"b(", 0.9}, {"c)\n", 0.1}}, 0.5, before, "e()\n"), "");
}

}  // namespace
}  // namespace redraft
