// Hunks whose old lines the file does not have any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "workspace/apply/change_place.h"
#include "workspace/apply/line_merge.h"
#include "workspace/documents/text_edit.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct Outcome {
  PlacedChange placed;
  std::string text;  // with all edits
};

Outcome place(const std::string& language, const std::string& file, const std::string& change) {
  const auto document = *Document::make("file:///a", 1, file, language);
  const Result<ProposedChange> parsed = parse_change(change, changed_file(*document));
  EXPECT_TRUE(parsed) << change;
  Outcome outcome{place_change(document, *parsed), {}};
  outcome.text = apply_edits(file, outcome.placed.edits);
  return outcome;
}

std::string block(const std::string& old_text, const std::string& new_text) {
  return "<<<<<<< SEARCH\n" + old_text + "=======\n" + new_text + ">>>>>>> REPLACE\n";
}

struct StaleCase {
  const char* language;
  const char* file;
  const char* stale;  // the first line as the change has it
  const char* removed;
  const char* added;
  const char* expected;
};

class StaleContext : public testing::TestWithParam<StaleCase> {};

TEST_P(StaleContext, StaysAsTheFileHasIt) {
  const StaleCase& one = GetParam();
  const std::string stale = one.stale;
  const Outcome outcome =
      place(one.language, one.file, block(stale + one.removed, stale + one.added));
  EXPECT_EQ(outcome.placed.doubt, "");
  EXPECT_EQ(outcome.text, one.expected);
  const Outcome diff =
      place(one.language, one.file, "@@ @@\n " + stale + "-" + one.removed + "+" + one.added);
  EXPECT_EQ(diff.text, one.expected);
}

constexpr StaleCase kStale[] = {
    {"python", "def load(path, mode='r'):\n    text = read(path)\n    return text\n",
     "def load(path):\n", "    text = read(path)\n", "    text = read(path).strip()\n",
     "def load(path, mode='r'):\n    text = read(path).strip()\n    return text\n"},
    {"go", "func load(path string) error {\n\ttext := read(path)\n\treturn check(text)\n}\n",
     "func load(path string) {\n", "\ttext := read(path)\n", "\ttext := trim(read(path))\n",
     "func load(path string) error {\n\ttext := trim(read(path))\n\treturn check(text)\n}\n"},
    {"typescript", "export function load(path: string): Text {\n  const text = read(path);\n}\n",
     "export function load(path: string) {\n", "  const text = read(path);\n",
     "  const text = read(path).trim();\n",
     "export function load(path: string): Text {\n  const text = read(path).trim();\n}\n"},
    {"rust", "pub(crate) fn load(path: &Path) -> Text {\n    let text = read(path);\n    text\n}\n",
     "pub fn load(path: &Path) -> Text {\n", "    let text = read(path);\n",
     "    let text = read(path).trim();\n",
     "pub(crate) fn load(path: &Path) -> Text {\n    let text = read(path).trim();\n    text\n}\n"},
};

INSTANTIATE_TEST_SUITE_P(All, StaleContext, testing::ValuesIn(kStale));

TEST(HunkMerge, ALineThatTheChangeReplacesKeepsWhatTheFileChangedInIt) {
  const Outcome outcome =
      place("python", "a = 1\nwait(timeout=30)\nb = 2\n",
            block("a = 1\nwait(timeout=20)\nb = 2\n", "a = 1\nwait(timeout=20, tries=3)\nb = 2\n"));
  EXPECT_EQ(outcome.text, "a = 1\nwait(timeout=30, tries=3)\nb = 2\n");
  EXPECT_EQ(outcome.placed.doubt, "line 2 differs from what the change removes");
}

TEST(HunkMerge, ANameThatTheFileHasRenamedIsRenamedInTheChange) {
  const Outcome outcome =
      place("python", "total = first(rows)\ncount = first(names)\nshow(total)\n",
            block("total = head(rows)\ncount = head(names)\nshow(total)\n",
                  "total = head(rows)\ncount = head(names)\nlast = head(rest)\nshow(total)\n"));
  EXPECT_EQ(outcome.text,
            "total = first(rows)\ncount = first(names)\nlast = first(rest)\nshow(total)\n");
}

// A name that is still in the file was not renamed.
TEST(HunkMerge, ANameThatIsStillThereStays) {
  const Outcome outcome = place(
      "python", "def head(rows):\n    return rows[0]\n\n\ntotal = first(rows)\nshow(total)\n",
      block("total = head(rows)\nshow(total)\n", "total = head(rows)\nlog(head)\nshow(total)\n"));
  EXPECT_THAT(outcome.text, HasSubstr("total = first(rows)\nlog(head)\nshow(total)\n"));
}

TEST(HunkMerge, TwoPlacesThatAreAlikeAreBothNamed) {
  const std::string file =
      "def a():\n    open(x)\n    work(1)\n    close(x)\n\n\ndef b():\n    open(x)\n    work(2)\n"
      "    close(x)\n";
  const Outcome outcome =
      place("python", file,
            block("    open(x)\n    work(3)\n    close(x)\n", "    open(x)\n    close(x)\n"));
  EXPECT_THAT(outcome.placed.edits, IsEmpty());
  ASSERT_EQ(outcome.placed.mismatches.size(), 1U);
  const Mismatch& mismatch = outcome.placed.mismatches.front();
  EXPECT_EQ(mismatch.kind, MismatchKind::kSeveralPlaces);
  EXPECT_THAT(mismatch.regions, ElementsAre(FileLineRange{2, 4}, FileLineRange{8, 10}));
}

TEST(HunkMerge, LinesThatTheChangeDoesNotShowAreNotTakenAway) {
  const Outcome outcome = place("python", "first = 1\nkeep(this)\nsecond = 2\nthird = 3\n",
                                block("first = 1\nsecond = 2\nthird = 3\n", "third = 3\n"));
  EXPECT_THAT(outcome.placed.edits, IsEmpty());
  EXPECT_THAT(outcome.placed.doubt, HasSubstr("not adjacent"));
  ASSERT_EQ(outcome.placed.mismatches.size(), 1U);
  EXPECT_THAT(outcome.placed.mismatches[0].reason, HasSubstr("does not show"));
  EXPECT_THAT(outcome.placed.mismatches[0].regions, ElementsAre(FileLineRange{1, 4}));
}

// The lines that a removal leaves are in the file before it, too.
TEST(HunkMerge, ARemovalWithAStaleLineIsNotCarriedOutAlready) {
  const Outcome outcome =
      place("python", "start(one)\n\nremove(this)\nremove(that, now)\n\nfinish(two)\n",
            block("\nremove(this)\nremove(that)\n\nfinish(two)\n", "\nfinish(two)\n"));
  EXPECT_EQ(outcome.text, "start(one)\n\nfinish(two)\n");
  EXPECT_THAT(outcome.placed.doubt, HasSubstr("differs from what the change removes"));
}

// One stale line among lines that are all different: the rest of the file stays, byte by byte.
TEST(HunkMerge, HoldsForAnyFileWithOneStaleLine) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> lines;
    const int n = 12 + static_cast<int>(random() % 60);
    for (int i = 0; i < n; ++i) {
      std::string words;
      for (int k = 0; k < 4; ++k) words += " w" + std::to_string(random() % 100000);
      lines.push_back("call" + std::to_string(i * 7919) + "(" + words + ")");
    }
    const int begin = static_cast<int>(random() % static_cast<unsigned>(n - 5));
    std::string old_text, new_text, expected;
    for (int i = 0; i < n; ++i) {
      const std::string& line = lines[static_cast<std::size_t>(i)];
      const bool is_stale = i == begin + static_cast<int>(random() % 2) * 4 && i != begin + 2;
      const std::string shown = is_stale ? line + " # old" : line;
      if (i >= begin && i < begin + 5) {
        old_text += shown + "\n";
        new_text += (i == begin + 2 ? "changed()" : shown) + "\n";
      }
      expected += (i == begin + 2 ? "changed()" : line) + "\n";
    }
    std::string file;
    for (const std::string& line : lines) file += line + "\n";
    const Outcome outcome = place("", file, block(old_text, new_text));
    EXPECT_EQ(outcome.placed.doubt, "") << old_text;
    EXPECT_EQ(outcome.text, expected);
  }
}

TEST(LineMerge, BothChangesOfALine) {
  EXPECT_EQ(merged_line("f(a)", "g(a)", "f(a, b)"), "g(a, b)");
  EXPECT_EQ(merged_line("f(a)", "f(a)", "h()"), "h()");
  EXPECT_EQ(merged_line("f(a)", "g(a)", "f(a)"), "g(a)");
  EXPECT_EQ(merged_line("f(a)", "g(a)", "h(a)"), std::nullopt);
  EXPECT_EQ(merged_line("f(a)", "g(a)", "g(a)"), "g(a)");
}

TEST(LineMerge, NamesThatDiffer) {
  EXPECT_THAT(*renamed_words("f(a, a)", "f(b, b)"), ElementsAre(Pair("a", "b")));
  EXPECT_EQ(renamed_words("f(a)", "f(a, b)"), std::nullopt);
  EXPECT_EQ(renamed_words("f(1)", "f(2)"), std::nullopt);
  EXPECT_EQ(with_names("a + ab + a", {{"a", "c"}}), "c + ab + c");
  EXPECT_TRUE(has_name("x = ab", "ab"));
  EXPECT_FALSE(has_name("x = abc", "ab"));
}

}  // namespace
}  // namespace redraft
