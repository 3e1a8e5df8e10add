#include "workspace/apply/change_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "languages/languages.h"
#include "workspace/apply/ellipsis.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ChangedFile file(const std::string& language = "python", const std::string& name = "a.py") {
  return {"/home/src/" + name, language,
          [](std::string_view line) { return line == "# ... and so on"; },
          [](std::span<const std::string>) { return 0; }};
}

ProposedChange parsed(const std::string& text, const ChangedFile& of = file()) {
  Result<ProposedChange> change = parse_change(text, of);
  EXPECT_TRUE(static_cast<bool>(change)) << change.error().message();
  return change ? std::move(*change) : ProposedChange();
}

std::string text_of(const CodeSnippet& snippet) {
  std::string text;
  for (const CodeSnippet::Line& line : snippet.lines)
    text += (line.is_ellipsis ? "<...>" : line.text) + "\n";
  return text;
}

TEST(ChangeText, CodeAloneIsASnippet) {
  const ProposedChange change = parsed("\n\ndef f():\n    return 1\n\n");
  ASSERT_THAT(change.snippets, SizeIs(1));
  EXPECT_EQ(text_of(change.snippets[0]), "def f():\n    return 1\n");
  EXPECT_THAT(change.replaced, IsEmpty());
}

TEST(ChangeText, FencesAreTakenFromTheProse) {
  const ProposedChange change = parsed(
      "First install it:\n```bash\npip install x\n```\nThen change f:\n```python\ndef f():\n"
      "    # ... existing code ...\n    return 2\n```\nand g:\n~~~py\ndef g(): pass\n~~~\nDone.\n");
  ASSERT_THAT(change.snippets, SizeIs(2));
  EXPECT_EQ(text_of(change.snippets[0]), "def f():\n<...>\n    return 2\n");
  EXPECT_EQ(text_of(change.snippets[1]), "def g(): pass\n");
}

TEST(ChangeText, AFileOfMarkdownKeepsItsOwnFences) {
  const std::string text = "# Use\n\n```sh\nmake\n```\n\nThen `run`.\n";
  const ProposedChange change = parsed(text, file("markdown", "README.md"));
  ASSERT_THAT(change.snippets, SizeIs(1));
  EXPECT_EQ(text_of(change.snippets[0]), text);
}

TEST(ChangeText, AUnifiedDiffOfThisFileAlone) {
  const ProposedChange change = parsed(
      "diff --git a/src/b.py b/src/b.py\nindex 1..2 100644\n--- a/src/b.py\n+++ b/src/b.py\n"
      "@@ -1 +1 @@\n-x = 1\n+x = 2\n"
      "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\t2026-01-01\n"
      "@@ -12,3 +12,3 @@ def main():\n     a()\n-    b()\n+    c()\n\n     d()\n"
      "\\ No newline at end of file\n");
  ASSERT_THAT(change.replaced, SizeIs(1));
  const Replaced& hunk = change.replaced[0];
  EXPECT_THAT(hunk.old_lines, ElementsAre("    a()", "    b()", "", "    d()"));
  EXPECT_THAT(hunk.new_lines, ElementsAre("    a()", "    c()", "", "    d()"));
  EXPECT_EQ(hunk.line, 11);
  EXPECT_THAT(hunk.headings, ElementsAre("def main():"));
}

TEST(ChangeText, ADiffWithoutNumbersAndWithAnEllipsis) {
  const ProposedChange change = parsed(
      "```diff\n@@ def main():\n a()\n-b()\n+c()\n # ... existing code ...\n d()\n+e()\n```\n");
  ASSERT_THAT(change.replaced, SizeIs(2));
  EXPECT_THAT(change.replaced[0].headings, ElementsAre("def main():"));
  EXPECT_EQ(change.replaced[0].line, std::nullopt);
  EXPECT_THAT(change.replaced[1].old_lines, ElementsAre("d()"));
  EXPECT_THAT(change.replaced[1].new_lines, ElementsAre("d()", "e()"));
}

TEST(ChangeText, ADeletedSqlCommentIsNotAFileHeader) {
  const ProposedChange change =
      parsed("@@ -1,2 +1 @@\n--- old\n select 1;\n", file("sql", "a.sql"));
  ASSERT_THAT(change.replaced, SizeIs(1));
  EXPECT_THAT(change.replaced[0].old_lines, ElementsAre("-- old", "select 1;"));
}

TEST(ChangeText, RefusesADiffForOtherFilesAndNamesThem) {
  const auto reason = [](const std::string& text) {
    const Result<ProposedChange> change = parse_change(text, file());
    return change ? std::string() : change.error().message();
  };
  const std::string one = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n";
  const std::string two = "--- a/lib/a.py\n+++ b/lib/a.py\n@@ -1 +1 @@\n-a\n+b\n";
  EXPECT_THAT(reason(one), HasSubstr("for x.py, not for a.py"));
  EXPECT_THAT(reason(two), HasSubstr("for lib/a.py, not for src/a.py"));
  EXPECT_THAT(reason(one + two), HasSubstr("for x.py and lib/a.py"));
}

TEST(ChangeText, TakesTheFileStatedAboveABlock) {
  const std::string code = "```python\nx = 1\n```\n";
  for (const std::string above :
       {"### `src/b.py`\n", "**b.py**\n\n", "b.py:\n", "File: lib/a.py\n", "1. **`src/b.py`**\n",
        "Now change `b.py`:\n\n", "<path>b.py</path>\n", "`b.py` (new)\n"}) {
    EXPECT_FALSE(static_cast<bool>(parse_change(above + code, file()))) << above;
    const ProposedChange both = parsed(above + code + "**src/a.py**\n" + code);
    EXPECT_THAT(both.snippets, SizeIs(1)) << above;
    EXPECT_THAT(both.notes, ElementsAre(HasSubstr("left out what is for"))) << above;
  }
  for (const std::string above :
       {"### `src/a.py`\n", "It uses what `b.py` has.\n", "This works with Node.js:\n",
        "Call `os.path` as in:\n", "The names from b.py:\n", "/home/src/a.py\n"}) {
    EXPECT_THAT(parsed(above + code).snippets, SizeIs(1)) << above;
  }
  EXPECT_FALSE(static_cast<bool>(parse_change("```python src/b.py\nx = 1\n```\n", file())));
  EXPECT_FALSE(static_cast<bool>(parse_change("```python:b.py\nx = 1\n```\n", file())));
  EXPECT_FALSE(static_cast<bool>(parse_change("```python\n# lib/b.py\nx = 1\n```\n", file())));
  EXPECT_EQ(text_of(parsed("```python\n# src/a.py\nx = 1\n```\n").snippets[0]), "x = 1\n");
}

TEST(ChangeText, ReadsAMailWithADiff) {
  const ProposedChange change = parsed(
      "From 12ab Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n a.py | 2 +-\n\n"
      "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
      "-- \n2.43.0\n\n");
  ASSERT_THAT(change.replaced, SizeIs(1));
  EXPECT_THAT(change.replaced[0].old_lines, ElementsAre("x", "y"));
  EXPECT_THAT(change.replaced[0].new_lines, ElementsAre("x", "z"));
}

TEST(ChangeText, ACutOffBlockIsADoubt) {
  EXPECT_NE(
      parsed("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nc\n=====").doubt, "");
  EXPECT_NE(parsed("```python\ndef f():\n    return 1\n").doubt, "");
  EXPECT_EQ(parsed("```python\ndef f():\n    return 1\n```\n").doubt, "");
}

TEST(ChangeText, SearchAndReplaceBlocks) {
  const ProposedChange change = parsed(
      "a.py\n```python\n<<<<<<< SEARCH\na = 1\n=======\na = 2\nb = 3\n>>>>>>> REPLACE\n```\n"
      "<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE\n");
  ASSERT_THAT(change.replaced, SizeIs(2));
  EXPECT_THAT(change.replaced[0].old_lines, ElementsAre("a = 1"));
  EXPECT_THAT(change.replaced[0].new_lines, ElementsAre("a = 2", "b = 3"));
  EXPECT_THAT(change.replaced[1].new_lines, IsEmpty());
}

TEST(ChangeText, AMarkdownListIsNotADiff) {
  EXPECT_THAT(parsed("- one\n- two\n", file("markdown", "a.md")).snippets, SizeIs(1));
}

TEST(ChangeText, RecognisesEllipses) {
  for (const std::string line :
       {"# ... existing code ...", "  // ...", "/* ... rest unchanged ... */",
        "# rest of the function", "{/* ... */}", "<!-- ... existing markup ... -->",
        "-- … unchanged", "// (existing code here)", "... (rest of the file) ...",
        "// remaining methods stay the same... existing code"}) {
    EXPECT_TRUE(is_ellipsis(line, "python")) << line;
  }
  for (const std::string line :
       {"...", "x = ...", "# and so on ...", "// Loads the file.", "return 'rest of'", "",
        "# the rest of the bytes is what the reader has not yet asked for, see read_all() below"}) {
    EXPECT_FALSE(is_ellipsis(line, "python")) << line;
  }
  EXPECT_TRUE(is_ellipsis("...", "go"));
  // The file has it as it is.
  EXPECT_EQ(text_of(parsed("a()\n# ... and so on\nb()\n").snippets[0]),
            "a()\n# ... and so on\nb()\n");
}

TEST(ChangeText, DotsWithinACommentAreNoEllipsis) {
  const std::string comment = "# The lines above are needed,\n# ... however, fewer suffice\n";
  EXPECT_EQ(text_of(parsed(comment + "# if none is shown.\na()\n").snippets[0]),
            comment + "# if none is shown.\na()\n");
  EXPECT_EQ(text_of(parsed("b()\n# ... however, fewer suffice\na()\n").snippets[0]),
            "b()\n<...>\na()\n");
  EXPECT_EQ(text_of(parsed("# One.\n# ... existing code ...\n# Two.\na()\n").snippets[0]),
            "# One.\n<...>\n# Two.\na()\n");
}

// A change may be in another language than the file, so the marks are one list.
TEST(ChangeText, RecognisesEllipsesInTheCommentsOfEachLanguage) {
  for (const Language* language : languages()) {
    for (const CommentMarks& marks : *language->comments) {
      const std::string open(marks.open), close(marks.close);
      const std::string line = open + " ... existing code ... " + close;
      EXPECT_TRUE(is_ellipsis(line, "plaintext")) << language->id() << ": " << line;
    }
  }
}

TEST(ChangeText, ExplainsWhyATextIsNotAChange) {
  const auto reason = [](const std::string& text) {
    const Result<ProposedChange> change = parse_change(text, file());
    return change ? std::string() : change.error().message();
  };
  EXPECT_THAT(reason(" \n\t\n"), HasSubstr("empty"));
  EXPECT_THAT(reason("```\n\n```\n"), HasSubstr("no code"));
  EXPECT_THAT(reason("# ... existing code ...\n"), HasSubstr("no code"));
  EXPECT_THAT(reason("a\xff"), HasSubstr("UTF-8 text at byte 1"));
  EXPECT_THAT(reason(std::string("a\0b", 3)), HasSubstr("NUL"));
  EXPECT_THAT(reason(std::string(kMaxChangeBytes + 1, 'a')), HasSubstr("the limit is"));
}

// Whatever is pasted is read or refused.
TEST(ChangeText, AnyTextIsReadOrRefused) {
  const std::string pieces[] = {"@@",
                                " -1,2 +3 @@",
                                "--- a/a.py",
                                "+++ b/a.py",
                                "\n",
                                "\n",
                                "+x",
                                "-y",
                                " z",
                                "```",
                                "```diff",
                                "~~~",
                                "# ...",
                                "<<<<<<< SEARCH",
                                "=======",
                                ">>>>>>> REPLACE",
                                "diff --git a b",
                                "\r\n",
                                "\\ No",
                                "@@ -99999999999999999999",
                                "def f():",
                                "\xC3\xA9"};
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int n = static_cast<int>(random() % 24); n > 0; --n)
      text += pieces[random() % std::size(pieces)];
    const Result<ProposedChange> change = parse_change(text, file());
    if (!change) continue;
    EXPECT_FALSE(change->replaced.empty() && change->snippets.empty()) << text;
    for (const CodeSnippet& snippet : change->snippets) EXPECT_FALSE(snippet.lines.empty()) << text;
  }
}

}  // namespace
}  // namespace redraft
