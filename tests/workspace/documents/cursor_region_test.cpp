#include "workspace/documents/cursor_region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "workspace/documents/edit_region.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const Document> document(const std::string& text, const char* language = "python") {
  return *Document::make("file:///a", 1, text, language);
}

// The titles of the regions around `range`, from the smallest; the chosen one is in brackets.
std::vector<std::string> titles_of(const std::string& text, ByteRange range,
                                   std::size_t max_bytes = 1000, const char* language = "python") {
  const auto at = document(text, language);
  const RegionChain chain = regions_at(*at, range, max_bytes);
  std::vector<std::string> found;
  for (const Region& region : chain.regions) {
    const std::string title = region_title(*at, region);
    found.push_back(&region == &chain.region() ? "[" + title + "]" : title);
  }
  return found;
}

std::vector<std::string> titles(const std::string& text, const std::string& cursor,
                                std::size_t max_bytes = 1000, const char* language = "python") {
  const std::size_t at = cursor.empty() ? text.size() : text.find(cursor);
  return titles_of(text, {at, at}, max_bytes, language);
}

// What an edit of a cursor there rewrites, and the text with "new" in its place.
std::string lines_of(const std::string& text, std::size_t at, const char* language = "python") {
  return EditRegion::make(document(text, language), EditScope::kAuto, ByteRange{at, at}, 1000)
      ->text();
}

std::string with_new_line(const std::string& text, std::size_t at,
                          const char* language = "python") {
  const EditRegion region =
      *EditRegion::make(document(text, language), EditScope::kAuto, ByteRange{at, at}, 1000);
  const std::vector<std::string_view> after = {"new"};
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(region.lines(), after))
    edits.push_back(region.edit(change));
  return apply_edits(text, edits);
}

const std::string kClass =
    "import os\n\n\nclass FTP:\n    port = 21\n    host = ''\n\n"
    "    # Sends it.\n    def putcmd(self, line):\n        self.put(line)\n\n"
    "    def __repr__(self):\n        return ''\n";

TEST(CursorRegion, WidensFromTheStatementToTheFile) {
  EXPECT_THAT(titles(kClass, "self.put"),
              ElementsAre("edit part of method putcmd, 1 line", "[edit method putcmd, 3 lines]",
                          "edit class FTP, 10 lines", "edit file, 13 lines"));
  EXPECT_THAT(titles(kClass, "# Sends"),
              ElementsAre("[edit method putcmd, 3 lines]", "edit class FTP, 10 lines",
                          "edit file, 13 lines"));
  EXPECT_THAT(
      titles(kClass, "host"),
      ElementsAre("edit member of class FTP, 1 line", "[edit members of class FTP, 2 lines]",
                  "edit class FTP, 10 lines", "edit file, 13 lines"));
}

TEST(CursorRegion, ACursorOnAMethodMeansThatMethodOfASmallFileToo) {
  EXPECT_EQ(lines_of(kClass, kClass.find("__repr__")),
            "    def __repr__(self):\n        return ''\n");
}

TEST(CursorRegion, ASelectionWidensToWhatIsAroundIt) {
  const std::size_t begin = kClass.find("    port"), end = kClass.find("''\n");
  EXPECT_THAT(
      titles_of(kClass, {begin, end}),
      ElementsAre("[edit selection, 2 lines]", "edit class FTP, 10 lines", "edit file, 13 lines"));
  EXPECT_THAT(
      titles_of(kClass, {begin, kClass.find("self.put")}),
      ElementsAre("[edit selection, 6 lines]", "edit class FTP, 10 lines", "edit file, 13 lines"));
  EXPECT_THAT(titles_of(kClass, {0, kClass.size()}), ElementsAre("[edit selection, 13 lines]"));
}

TEST(CursorRegion, ABlankLineIsAPlaceToInsert) {
  const std::size_t between = kClass.find("\n\n    # Sends") + 1;
  EXPECT_THAT(titles_of(kClass, {between, between}),
              ElementsAre("[insert at line 7]", "edit class FTP, 10 lines", "edit file, 13 lines"));
  EXPECT_EQ(with_new_line("a = 1\n\nb = 2\n", 6), "a = 1\nnew\n\nb = 2\n");
  EXPECT_EQ(with_new_line("a = 1\r\n\r\nb = 2\r\n", 7), "a = 1\r\nnew\r\n\r\nb = 2\r\n");
  EXPECT_EQ(with_new_line("\r\nb = 2\r\n", 0), "new\r\n\r\nb = 2\r\n");
  EXPECT_EQ(with_new_line("a = 1\n    \nb = 2\n", 8), "a = 1\nnew\nb = 2\n") << "an indent";
}

TEST(CursorRegion, TheEndOfAFileAndAnEmptyFileArePlacesToInsert) {
  EXPECT_THAT(titles(kClass, ""), ElementsAre("[insert at line 14]", "edit file, 13 lines"));
  EXPECT_EQ(with_new_line("a = 1\n", 6), "a = 1\nnew\n");
  EXPECT_EQ(lines_of("a = 1", 5), "a = 1\n") << "no blank line: what stands there";
  EXPECT_THAT(titles("", ""), ElementsAre("[insert at line 1]"));
  EXPECT_EQ(with_new_line("", 0), "new\n");
  EXPECT_EQ(with_new_line("", 0, "plaintext"), "new\n");
  EXPECT_EQ(with_new_line("\xEF\xBB\xBF", 3), "\xEF\xBB\xBFnew\n");
}

TEST(CursorRegion, WithoutAGrammarItIsTheParagraph) {
  const std::string text = "one\ntwo\n\nthree\nfour\nfive\n\nsix\n";
  EXPECT_THAT(titles(text, "four", 1000, "plaintext"),
              ElementsAre("[edit paragraph, 3 lines]", "edit file, 8 lines"));
  EXPECT_THAT(titles(text, "four", 12, "plaintext"),
              ElementsAre("[edit paragraph, 2 lines]", "edit file, 8 lines"));
  EXPECT_THAT(titles_of(text, {8, 8}, 1000, "plaintext"),
              ElementsAre("[insert at line 3]", "edit file, 8 lines"));
  std::string log;
  for (int i = 0; i < 1000; ++i) log += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(titles(log, "line 500\n", 1 << 20, "")[0], "[edit paragraph, 40 lines]");
}

TEST(CursorRegion, SelectsLinesAroundTheCursorInALongString) {
  std::string text = "x = '''\n";
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + "\n\n";
  text += "'''\n";
  const std::size_t at = text.find("line 250\n");
  EXPECT_THAT(lines_of(text, at), HasSubstr("line 250\n"));
  EXPECT_LE(lines_of(text, at).size(), 1000U);
}

TEST(CursorRegion, SelectsTheBlockAroundTheCursorInALongFunction) {
  std::string text = "def f():\n";
  for (int i = 0; i < 200; ++i)
    text += "    if x == " + std::to_string(i) + ":\n        y = 1\n        z = 2\n";
  EXPECT_EQ(lines_of(text, text.find("x == 77:")),
            "    if x == 77:\n        y = 1\n        z = 2\n");
}

// Wherever the cursor is, whatever the text, in any language: whole lines, which it touches, no
// more than affordable unless that is a single line; each region is larger than the one before.
TEST(CursorRegion, HoldsEverywhere) {
  static const char* const kLines[] = {
      "def f(a):",  "    x = 1",  "",      "    ",      "# c",         "class A {", "}",
      "    return", "{[(",        "'''",   "import os", "  - a: |",    "\tgo()",    "```",
      "<p>",        "@decorator", "é = 2", "// note",   "#include <a>"};
  static const char* const kLanguages[] = {"python", "cpp", "yaml", "markdown", "html", "", "ruby"};
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string text = random() % 8 ? "" : "\xEF\xBB\xBF";
    const char* ending = random() % 4 ? "\n" : random() % 2 ? "\r\n" : "\r";
    for (std::size_t n = random() % 25; n > 0; --n)
      text += std::string(kLines[random() % std::size(kLines)]) + ending;
    if (random() % 2) text += kLines[random() % std::size(kLines)];
    const auto at = document(text, kLanguages[random() % std::size(kLanguages)]);
    const LineIndex& lines = at->lines();
    const std::size_t offset = random() % (text.size() + 1), max_bytes = 1 + random() % 200;
    const RegionChain chain = regions_at(*at, {offset, offset}, max_bytes);
    SCOPED_TRACE(testing::PrintToString(text) + " at " + std::to_string(offset) + ", " +
                 at->language_id() + ", " + std::to_string(max_bytes));
    ASSERT_LT(chain.chosen, chain.regions.size());
    const ByteRange& chosen = chain.region().range;
    ASSERT_TRUE(chosen.size() <= max_bytes || line_count(*at, chain.region()) <= 1);
    for (std::size_t i = 0; i < chain.regions.size(); ++i) {
      const ByteRange& range = chain.regions[i].range;
      ASSERT_EQ(lines.start(lines.line_of(range.begin)), range.begin);
      ASSERT_TRUE(range.end == text.size() || lines.start(lines.line_of(range.end)) == range.end);
      ASSERT_LE(range.begin, lines.content_end(lines.line_of(offset)));
      ASSERT_GE(range.end, lines.start(lines.line_of(offset)));
      if (i == 0) continue;
      const ByteRange& inner = chain.regions[i - 1].range;
      ASSERT_TRUE(range.begin <= inner.begin && range.end >= inner.end && range != inner) << i;
    }
    const auto region =
        EditRegion::make(at, EditScope::kAuto, ByteRange{offset, offset}, max_bytes);
    ASSERT_TRUE(region);
    const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    ASSERT_EQ(region->range(),
              (ByteRange{std::max(chosen.begin, mark), std::max(chosen.end, mark)}));
  }
}

}  // namespace
}  // namespace redraft
