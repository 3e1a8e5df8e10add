// What is said of a change that has no place, and the ways in which one may be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "workspace/apply/change_place.h"
#include "workspace/apply/hunk_ways.h"
#include "workspace/documents/text_edit.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kFile =
    "import os\n\n\ndef first(path):\n    text = open(path).read()\n    return text\n\n\n"
    "def second(path):\n    with open(path) as file:\n        return file.read()\n";

PlacedChange placed(const std::string& file, const std::string& change) {
  const auto document = *Document::make("file:///a.py", 1, file, "python");
  return place_change(document, *parse_change(change, changed_file(*document)));
}

std::string text_after(const std::string& file, const std::string& change) {
  return apply_edits(file, placed(file, change).edits);
}

std::string block(const std::string& old_text, const std::string& new_text) {
  return "<<<<<<< SEARCH\n" + old_text + "=======\n" + new_text + ">>>>>>> REPLACE\n";
}

Mismatch only_mismatch(const std::string& file, const std::string& change) {
  const PlacedChange result = placed(file, change);
  EXPECT_FALSE(result.is_placed());
  EXPECT_THAT(result.edits, IsEmpty());
  EXPECT_EQ(result.mismatches.size(), 1U);
  return result.mismatches.empty() ? Mismatch() : result.mismatches.front();
}

TEST(MismatchSearch, EqualLinesAtTwoPlaces) {
  const std::string file = "a = 1\nx()\n\nb = 1\nx()\n";
  const Mismatch mismatch = only_mismatch(file, block("x()\n", "y()\n"));
  EXPECT_EQ(mismatch.kind, MismatchKind::kSeveralPlaces);
  EXPECT_THAT(mismatch.regions, ElementsAre(FileLineRange{2, 2}, FileLineRange{5, 5}));
  EXPECT_THAT(described(mismatch), HasSubstr("they fit line 2; line 5"));
}

TEST(MismatchSearch, StaleLinesAndWhatTheyAre) {
  const Mismatch mismatch = only_mismatch(
      kFile,
      block("def second(path):\n    with open(path, mode) as file, lock(path, 'exclusive'):\n"
            "        data = file.read_all_lines_of_the_file()\n        return decode(data)\n",
            "def second(path):\n    return None\n"));
  EXPECT_EQ(mismatch.kind, MismatchKind::kStaleLines);
  ASSERT_FALSE(mismatch.regions.empty());
  EXPECT_EQ(mismatch.regions.front().first, 9);
  ASSERT_FALSE(mismatch.lines.empty());
  EXPECT_THAT(described(mismatch), HasSubstr("the closest"));
}

TEST(MismatchSearch, WhatIsThereAlready) {
  const Mismatch mismatch = only_mismatch(
      kFile, block("def first(path):\n    return None\n",
                   "def first(path):\n    text = open(path).read()\n    return text.strip()\n") +
                 block("nothing like this is in the file\n", "x\n"));
  EXPECT_EQ(mismatch.part, 2);
  EXPECT_EQ(mismatch.kind, MismatchKind::kNothingAlike);
}

TEST(MismatchSearch, ANewLineWithoutAPlace) {
  const Mismatch mismatch = only_mismatch(kFile, "@@ @@\n+x = 1\n");
  EXPECT_EQ(mismatch.kind, MismatchKind::kNoLocation);
  EXPECT_THAT(mismatch.regions, IsEmpty());
}

TEST(MismatchSearch, NamesOfKinds) {
  EXPECT_STREQ(to_string(MismatchKind::kSeveralPlaces), "several places");
  EXPECT_STREQ(to_string(MismatchKind::kAlreadyThere), "already there");
  EXPECT_STREQ(to_string(MismatchKind::kStaleLines), "stale lines");
}

class NumberStyle : public testing::TestWithParam<const char*> {};

TEST_P(NumberStyle, IsNoPartOfTheLines) {
  const auto numbered = [](int number, const std::string& line) {
    std::string style = GetParam();
    style.replace(style.find('#'), 1, std::to_string(number));
    return style + line + "\n";
  };
  const std::string old_text =
      numbered(5, "    text = open(path).read()") + numbered(6, "    return text");
  const std::string expected =
      "import os\n\n\ndef first(path):\n    text = open(path).read()\n    return text.strip()\n\n\n"
      "def second(path):\n    with open(path) as file:\n        return file.read()\n";
  EXPECT_EQ(text_after(kFile, block(old_text,
                                    "    text = open(path).read()\n"
                                    "    return text.strip()\n")),
            expected);
  EXPECT_EQ(text_after(kFile, block(old_text, numbered(5, "    text = open(path).read()") +
                                                  numbered(6, "    return text.strip()"))),
            expected);
}

INSTANTIATE_TEST_SUITE_P(All, NumberStyle,
                         testing::Values("    #\t", "#\u2192", "# | ", "#: ", "L#: ", "  #| "));

// Numbers that do not count are no line numbers.
TEST(HunkWays, CodeWithNumbersStays) {
  const HunkSides sides{{"1: 'a',", "7: 'b',"}, {"1: 'a',"}};
  EXPECT_EQ(ways_of(sides).front().old_lines, sides.old_lines);
  for (const HunkSides& way : ways_of(sides)) EXPECT_EQ(way.old_lines.size(), 2U);
  for (const HunkSides& way : ways_of(sides)) EXPECT_THAT(way.old_lines[0], HasSubstr("1:"));
}

TEST(HunkWays, ANumberSaysWhichOfSeveralPlaces) {
  const std::string file = "a = 1\nx()\n\nb = 1\nx()\n";
  EXPECT_EQ(text_after(file, block("     5\tx()\n", "y()\n")), "a = 1\nx()\n\nb = 1\ny()\n");
}

TEST(HunkWays, QuotesOfJsonAndOfAnotherStyle) {
  const std::string file = "log(\"it's\", 'b')\nrun('a', 'b')\nend()\n";
  EXPECT_EQ(text_after(file, block("run(\\\"a\\\", \\\"b\\\")\n", "run(\\\"a\\\")\n")), file);
  EXPECT_EQ(text_after(file, block("run(\"a\", \"b\")\nend()\n", "run(\"a\")\nend()\n")),
            "log(\"it's\", 'b')\nrun('a')\nend()\n");
  const std::string json = "x = {\"a\": 1}\ny = 2\n";
  EXPECT_EQ(text_after(json, block("x = {\\\"a\\\": 1}\n", "x = {\\\"a\\\": 3}\n")),
            "x = {\"a\": 3}\ny = 2\n");
}

TEST(HunkWays, TypographicQuotesBecomePlainInNewLines) {
  EXPECT_EQ(text_after("x = \"a\"\ny = 2\n",
                       block("x = \u201ca\u201d\n", "x = \u201ca\u201d\nz = \u201cb\u201d\n")),
            "x = \"a\"\nz = \"b\"\ny = 2\n");
}

TEST(HunkChanges, OfEqualLinesTheFirstStays) {
  // The blanks behind the first brace show which one stays.
  const std::string file = "f {\n}  \n\ng {\n}\n";
  EXPECT_EQ(text_after(file, block("f {\n}\n\ng {\n}\n", "f {\n}\n")), "f {\n}  \n");
}

}  // namespace
}  // namespace redraft
