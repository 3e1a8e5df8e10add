#include "workspace/documents/edit_region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace redraft {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Document> document(const std::string& text) {
  return *Document::make("file:///a.py", 1, text);
}

EditRegion file_region(const std::string& text) {
  return *EditRegion::make(document(text), EditScope::kFile, {});
}

// The document after `lines` replaced the region's lines.
std::string rewritten(const EditRegion& region, const std::vector<std::string>& lines,
                      std::vector<TextEdit>* edits = nullptr) {
  const std::vector<std::string_view> after(lines.begin(), lines.end());
  std::vector<TextEdit> made;
  for (const LineChange& change : diff_lines(region.lines(), after))
    made.push_back(region.edit(change));
  if (edits) *edits = made;
  return apply_edits(region.document().text(), made);
}

TEST(EditRegion, LinesKeepTheEndingsTheyHave) {
  EXPECT_EQ(rewritten(file_region("a\r\nb\r\nc\r\n"), {"a", "B", "c"}), "a\r\nB\r\nc\r\n");
  EXPECT_EQ(rewritten(file_region("a\r\nb\nc\rd\n"), {"a", "B", "C", "d"}), "a\r\nB\nC\rd\n");
  EXPECT_EQ(rewritten(file_region("a\r\nb\nc\n"), {"a", "x", "b", "c"}), "a\r\nx\r\nb\nc\n");
}

TEST(EditRegion, AMissingFinalNewlineStaysMissing) {
  EXPECT_EQ(rewritten(file_region("a\nb"), {"a", "B"}), "a\nB");
  EXPECT_EQ(rewritten(file_region("a\nb"), {"a", "b", "c"}), "a\nb\nc");
  EXPECT_EQ(rewritten(file_region("a\r\nb"), {"a", "b", "c", "d"}), "a\r\nb\r\nc\r\nd");
  EXPECT_EQ(rewritten(file_region("a\nb"), {"a"}), "a");
  EXPECT_EQ(rewritten(file_region("a\nb"), {"x"}), "x");
  EXPECT_EQ(rewritten(file_region("b"), {}), "");
  EXPECT_EQ(rewritten(file_region("b"), {"b", "c"}), "b\nc");
}

TEST(EditRegion, AMissingFinalNewlineStaysMissingWhenTheSelectedEndIsDeleted) {
  const auto without = [](const std::string& text, ByteRange range) {
    return rewritten(*EditRegion::make(document(text), EditScope::kSelection, range), {});
  };
  EXPECT_EQ(without("a\nb", {2, 3}), "a");
  EXPECT_EQ(without("a\r\nb\r\nc", {3, 7}), "a");
  EXPECT_EQ(without("a\nb\n", {2, 3}), "a\n");
  EXPECT_EQ(without("a\nb\nc", {2, 3}), "a\nc");
  EXPECT_EQ(without("\xEF\xBB\xBF"
                    "b",
                    {0, 4}),
            "\xEF\xBB\xBF");
}

TEST(EditRegion, AByteOrderMarkIsNeitherShownNorTouched) {
  const EditRegion region = file_region("\xEF\xBB\xBFone\ntwo\n");
  EXPECT_EQ(region.text(), "one\ntwo\n");
  EXPECT_EQ(rewritten(region, {"ONE", "two"}), "\xEF\xBB\xBFONE\ntwo\n");
  EXPECT_EQ(rewritten(file_region("\xEF\xBB\xBF"), {"one"}), "\xEF\xBB\xBFone\n");
  EXPECT_EQ(text_for_model(*document("\xEF\xBB\xBF")), "");
}

TEST(EditRegion, AnEmptyFileGetsWholeLines) {
  EXPECT_EQ(rewritten(file_region(""), {"one", "two"}), "one\ntwo\n");
  EXPECT_EQ(rewritten(file_region(""), {}), "");
}

TEST(EditRegion, ASelectionIsItsLines) {
  const auto lines = [](ByteRange range) {
    const EditRegion region =
        *EditRegion::make(document("one\ntwo\nthree\n"), EditScope::kSelection, range);
    return region.text();
  };
  EXPECT_EQ(lines({5, 6}), "two\n");
  EXPECT_EQ(lines({4, 8}), "two\n");  // ends where the next line begins
  EXPECT_EQ(lines({4, 9}), "two\nthree\n");
  EXPECT_EQ(lines({3, 3}), "one\n");
  EXPECT_EQ(lines({4, 4}), "two\n");
  EXPECT_EQ(lines({14, 14}), "");  // there is no line after the last newline
  EXPECT_EQ(lines({0, 14}), "one\ntwo\nthree\n");
  EXPECT_TRUE(
      (*EditRegion::make(document("a\nb\n"), EditScope::kSelection, ByteRange{0, 4})).whole_file());
}

TEST(EditRegion, RejectsRangesOutsideTheText) {
  const auto error = [](EditScope scope, std::optional<ByteRange> range) {
    return EditRegion::make(document("one\n"), scope, range).error().message();
  };
  EXPECT_THAT(error(EditScope::kSelection, ByteRange{0, 5}),
              HasSubstr("outside the text, which has 4 bytes"));
  EXPECT_THAT(error(EditScope::kFile, ByteRange{3, 2}), HasSubstr("outside the text"));
  EXPECT_THAT(error(EditScope::kSelection, {}), HasSubstr("needs a range"));
  EXPECT_THAT(error(EditScope::kSymbol, {}), HasSubstr("needs a range"));
  EXPECT_THAT(error(EditScope::kSymbol, ByteRange{5, 5}), HasSubstr("outside the text"));
}

TEST(EditRegion, ASymbolIsItsLines) {
  const std::string text =
      "import os\n\n\nclass A:\n    # Why.\n    def f(self):\n        return 1\n\n    x = 2\n";
  const auto region = [&](std::size_t begin, std::size_t end, const char* language) {
    const auto document = Document::make("file:///a", 1, text, language);
    return *EditRegion::make(*document, EditScope::kSymbol, ByteRange{begin, end});
  };
  const std::size_t inside = text.find("return");
  EXPECT_EQ(region(inside, inside, "python").text(),
            "    # Why.\n    def f(self):\n        return 1\n");
  EXPECT_EQ(region(inside, text.size(), "python").text(),
            "    # Why.\n    def f(self):\n        return 1\n");
  EXPECT_EQ(region(text.find("x ="), text.find("x ="), "python").text(),
            text.substr(text.find("class")));
  EXPECT_TRUE(region(0, 0, "python").whole_file());  // no definition encloses it
  EXPECT_TRUE(region(inside, inside, "plaintext").whole_file());
  EXPECT_TRUE(region(inside, inside, "").whole_file());
}

TEST(EditRegion, TheScopeFollowsFromTheRange) {
  EXPECT_EQ(default_scope({}), EditScope::kPlaces);
  EXPECT_EQ(default_scope(ByteRange{3, 3}), EditScope::kAround);
  EXPECT_EQ(default_scope(ByteRange{3, 4}), EditScope::kSelection);
}

bool ends_open(const std::string& text) { return !text.ends_with('\n') && !text.ends_with('\r'); }

// Lone carriage returns are not mixed with other endings: before an empty line that ends with "\n"
// one would become part of the ending of the previous line.
std::string random_text(std::mt19937& random) {
  static const char* const kEndings[] = {"\n", "\r\n", "\r"};
  static const char* const kContents[] = {"",    "}",   "\tfoo()", "    bar = 1  ", "é = '日本'",
                                          "```", "one", "two",     "three"};
  std::string text = random() % 5 ? "" : "\xEF\xBB\xBF";
  const bool mixed = random() % 2;
  const char* ending = kEndings[random() % 3];
  for (std::size_t n = random() % 12; n > 0; --n) {
    text += kContents[random() % 9];
    text += mixed ? kEndings[random() % 2] : ending;
  }
  if (random() % 2) text += kContents[1 + random() % 8];
  return text;
}

// Applying the edits gives exactly the requested lines; no byte outside the edits changes; kept
// lines keep their endings; the end of the file stays open or closed.
TEST(EditRegion, ChangesNoByteOutsideItsEdits) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_text(random);
    const std::shared_ptr<const Document> before = document(text);
    const bool whole = random() % 2;
    const std::size_t begin = random() % (text.size() + 1);
    const ByteRange range{begin, begin + random() % (text.size() - begin + 1)};
    const EditRegion region =
        *EditRegion::make(before, whole ? EditScope::kFile : EditScope::kSelection, range);
    std::vector<std::string> lines(region.lines().begin(), region.lines().end());
    for (std::size_t n = random() % 4; n > 0; --n) {
      const auto at = static_cast<std::ptrdiff_t>(random() % (lines.size() + 1));
      if (random() % 2 && at < static_cast<std::ptrdiff_t>(lines.size())) {
        lines.erase(lines.begin() + at);
      } else {
        lines.insert(lines.begin() + at, random() % 2 ? "new" : "one");
      }
    }
    std::vector<TextEdit> edits;
    const std::string after = rewritten(region, lines, &edits);
    SCOPED_TRACE("round " + std::to_string(round) + " text " + testing::PrintToString(text));

    // Deleting a last line without an ending takes the ending of the previous line, wherever that
    // is.
    const bool open_end_goes =
        lines.empty() && ends_open(text) && region.range().end == text.size();
    std::size_t end = open_end_goes ? 0 : region.range().begin;
    for (const TextEdit& edit : edits) {
      ASSERT_GE(edit.range.begin, end);
      ASSERT_LE(edit.range.end, region.range().end);
      ASSERT_NE(text.substr(edit.range.begin, edit.range.size()), edit.new_text);
      end = edit.range.end;
    }
    const EditRegion all = file_region(text);
    const int first = before->lines().line_of(region.range().begin);
    const auto last = static_cast<std::size_t>(first) + region.lines().size();
    std::vector<std::string> expected(
        all.lines().begin(),
        all.lines().begin() +
            std::min<std::ptrdiff_t>(first, all.lines().end() - all.lines().begin()));
    expected.insert(expected.end(), lines.begin(), lines.end());
    for (std::size_t i = last; i < all.lines().size(); ++i) expected.emplace_back(all.lines()[i]);
    const EditRegion changed = file_region(after);
    // An empty last line without an ending is no line.
    if (ends_open(text) && !expected.empty() && expected.back().empty()) continue;
    ASSERT_EQ(std::vector<std::string>(changed.lines().begin(), changed.lines().end()), expected);
    ASSERT_EQ(after.starts_with("\xEF\xBB\xBF"), text.starts_with("\xEF\xBB\xBF"));
    if (!expected.empty() && !region.lines().empty()) {
      ASSERT_EQ(ends_open(after), ends_open(text));
    }
  }
}

// The lines that a cursor at `what` stands for, with at most `max_bytes`.
std::string around(const std::string& text, const std::string& what, std::size_t max_bytes,
                   const char* uri = "file:///a.py", const char* language = "python") {
  const std::size_t begin = text.find(what);
  EXPECT_NE(begin, std::string::npos) << what;
  const auto region = EditRegion::make(*Document::make(uri, 1, text, language), EditScope::kAround,
                                       ByteRange{begin, begin}, max_bytes);
  return region ? region->text() : region.error().message();
}

std::string large_class() {
  std::string text = "import os\nimport sys\n\n\nclass Large:\n    limit = 1\n    name = 'x'\n\n";
  for (int i = 0; i < 500; ++i)
    text +=
        "    def method_" + std::to_string(i) + "(self):\n        self.a = 1\n        return 2\n\n";
  return text;
}

TEST(EditRegionAround, ADefinitionThatIsAffordable) {
  EXPECT_EQ(around(large_class(), "return 2", 1000),
            "    def method_0(self):\n        self.a = 1\n        return 2\n");
}

TEST(EditRegionAround, OnAnImportTheImports) {
  EXPECT_EQ(around(large_class(), "sys", 1000), "import os\nimport sys\n");
}

TEST(EditRegionAround, OnAnAttributeOfALargeClassTheAttributes) {
  EXPECT_EQ(around(large_class(), "limit", 1000), "    limit = 1\n    name = 'x'\n");
}

TEST(EditRegionAround, OnTheHeadOfALargeClassAFewLines) {
  const std::string lines = around(large_class(), "class Large", 1000);
  EXPECT_THAT(lines, HasSubstr("class Large:\n"));
  EXPECT_LE(lines.size(), 1000U);
}

TEST(EditRegionAround, BetweenDefinitionsAFewLines) {
  const std::string text = large_class();
  const std::size_t blank = text.find("\n\n    def method_300") + 1;
  const auto region = *EditRegion::make(*Document::make("file:///a.py", 1, text, "python"),
                                        EditScope::kAround, ByteRange{blank, blank}, 1000);
  EXPECT_LE(region.text().size(), 1000U);
  EXPECT_LE(region.range().begin, blank);
  EXPECT_GE(region.range().end, blank);
}

TEST(EditRegionAround, SelectsTheStatementsAroundTheCursorInALargeFunction) {
  std::string text = "def f():\n";
  for (int i = 0; i < 400; ++i) {
    text += "    if x == " + std::to_string(i) + ":\n        y = " + std::to_string(i) + "\n\n";
  }
  EXPECT_EQ(around(text, "y = 200", 100), "    if x == 200:\n        y = 200\n");
}

TEST(EditRegionAround, SelectsTheEntriesAroundTheCursorInData) {
  std::string text = "{\n";
  for (int i = 0; i < 3000; ++i)
    text += "  \"key" + std::to_string(i) + "\": " + std::to_string(i) + ",\n";
  text += "  \"end\": 0\n}\n";
  const std::string lines = around(text, "\"key1500\"", 600, "file:///a.json", "json");
  EXPECT_THAT(lines, HasSubstr("\"key1500\": 1500,\n"));
  EXPECT_LE(lines.size(), 600U);
}

TEST(EditRegionAround, InNoLanguageTheLinesAround) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string lines = around(text, "line 250\n", 200, "file:///a.xyz", "");
  EXPECT_THAT(lines, HasSubstr("line 249\nline 250\nline 251\n"));
  EXPECT_LE(lines.size(), 200U);
}

TEST(EditRegionAround, ASmallFileWithoutDefinitionsIsTakenWhole) {
  EXPECT_EQ(around("a = 1\nb = 2\n\nc = 3\n", "b", 1000), "a = 1\nb = 2\n\nc = 3\n");
}

// Whatever the text and the place: no more than what is affordable, or one line; and the cursor's
// line is among them.
TEST(EditRegionAround, IsAffordableEverywhere) {
  std::mt19937 random(1);
  std::string text = large_class() + "\n\n" + std::string(3000, 'x') + "\n{[(\n";
  for (int i = 0; i < 300; ++i) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t max_bytes = 1 + random() % 2000;
    const auto document = *Document::make("file:///a.py", 1, text, "python");
    const auto region =
        *EditRegion::make(document, EditScope::kAround, ByteRange{at, at}, max_bytes);
    const LineIndex& lines = document->lines();
    const int line = lines.line_of(at);
    EXPECT_TRUE(region.range().size() <= max_bytes || region.lines().size() <= 1)
        << at << " " << max_bytes;
    EXPECT_LE(region.range().begin, lines.start(line));
    EXPECT_GE(region.range().end, std::min(lines.content_end(line), text.size())) << at;
  }
}

}  // namespace
}  // namespace redraft
