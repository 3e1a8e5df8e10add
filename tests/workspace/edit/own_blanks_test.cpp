#include "workspace/edit/own_blanks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/kit/scripted_engine.h"
#include "text/strings/lines.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

std::shared_ptr<const Document> document(const std::string& text, const std::string& language) {
  return *Document::make("file:///a", 1, text, language);
}

// The file after an answer of a model for all of it.
Result<EditResult> edit(const std::string& text, const std::string& language,
                        const std::string& answer, const std::string& instruction = "change it") {
  const auto engine =
      scripted_engine([&](const ScriptedPrompt& prompt) { return answer + prompt.fence; });
  EditRequest request;
  request.document = document(text, language);
  request.instruction = instruction;
  request.decoder = *parse_decoder_name("redraft");
  request.repairs = false;
  return run_edit(*engine, request, {}, {});
}

std::string edited(const std::string& text, const std::string& language, const std::string& answer,
                   const std::string& instruction = "change it") {
  const Result<EditResult> result = edit(text, language, answer, instruction);
  EXPECT_TRUE(result) << result.error().message();
  if (!result) return {};
  EXPECT_EQ(result->output.substr(0, answer.size()), answer);  // the raw output stays
  return result->text;
}

// `text` with `level` for each tab that a line begins with.
std::string indented(const std::string& text, const std::string& level) {
  std::string result;
  for (std::string_view line : split_lines(text)) {
    for (; line.starts_with('\t'); line.remove_prefix(1)) result += level;
    result += std::string(line) + "\n";
  }
  return result;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

struct Sample {
  const char* language;
  const char* text;       // indented with tabs
  const char *from, *to;  // a change with a line at a new depth
};

const Sample kSamples[] = {
    {"python", "def f(a):\n\tif a:\n\t\treturn 1\n\treturn 2\n", "\t\treturn 1\n",
     "\t\tif a > 1:\n\t\t\traise ValueError(a)\n\t\treturn 1\n"},
    {"go", "func f(a int) int {\n\tif a > 0 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n",
     "\t\treturn 1\n", "\t\tif a > 1 {\n\t\t\tpanic(a)\n\t\t}\n\t\treturn 1\n"},
    {"c", "int f(int a) {\n\tif (a)\n\t\treturn 1;\n\treturn 2;\n}\n", "\treturn 2;\n",
     "\tfor (;;) {\n\t\tstep();\n\t}\n\treturn 2;\n"},
    {"javascript", "function f(a) {\n\tif (a) {\n\t\treturn 1;\n\t}\n\treturn 2;\n}\n",
     "\treturn 2;\n", "\tif (!a) {\n\t\tthrow a;\n\t}\n\treturn 2;\n"},
    {"java", "class A {\n\tint f() {\n\t\treturn 1;\n\t}\n}\n", "\t\treturn 1;\n",
     "\t\tint n = 1;\n\t\treturn n;\n"},
    {"rust", "fn f(a: u8) -> u8 {\n\tif a > 0 {\n\t\treturn 1;\n\t}\n\t2\n}\n", "\t2\n",
     "\tlog(a);\n\t2\n"},
    {"lines", "struct A {\n\tfunc f() -> Int {\n\t\treturn 1\n\t}\n}\n", "\t\treturn 1\n",
     "\t\tguard ok else {\n\t\t\treturn 0\n\t\t}\n\t\treturn 1\n"},
};

TEST(OwnBlanks, TheUnitOfTheFileWinsInEveryLanguage) {
  const std::string tab = "\t";
  for (const Sample& sample : kSamples) {
    for (const std::string& own : {tab, std::string("  "), std::string("    ")}) {
      const std::string before = indented(sample.text, own);
      const std::string after = indented(replaced(sample.text, sample.from, sample.to), own);
      for (const std::string& other : {tab, std::string("  "), std::string("    ")}) {
        SCOPED_TRACE(std::string(sample.language) + " '" + own + "' '" + other + "'");
        EXPECT_EQ(edited(before, sample.language, indented(sample.text, other)), before);
        EXPECT_EQ(edited(before, sample.language,
                         indented(replaced(sample.text, sample.from, sample.to), other)),
                  after);
      }
    }
  }
}

TEST(OwnBlanks, LinesThatDifferInNothingElseAreNoChange) {
  const std::string text = kSamples[0].text;
  const Result<EditResult> result = edit(text, "python", indented(text, "    "));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->hunks.empty());
}

// In the file's own unit, a line really moves.
TEST(OwnBlanks, AMovedLineMoves) {
  const std::string flat = "def f(a):\n    x = a\n    return x\n";
  const std::string wrapped = "def f(a):\n    with a:\n        x = a\n        return x\n";
  EXPECT_EQ(edited(flat, "python", wrapped), wrapped);
  EXPECT_EQ(edited(wrapped, "python", flat), flat);
  const std::string narrow = indented("def f(a):\n\tx = a\n\treturn x\n", "  ");
  const std::string narrow_wrapped = "def f(a):\n  with a:\n    x = a\n    return x\n";
  EXPECT_EQ(edited(narrow, "python", narrow_wrapped), narrow_wrapped);
  const std::string tabs = "def f(a):\n\tx = a\n\treturn x\n";
  const std::string tabs_wrapped = "def f(a):\n\twith a:\n\t\tx = a\n\t\treturn x\n";
  EXPECT_EQ(edited(tabs, "python", tabs_wrapped), tabs_wrapped);
  EXPECT_EQ(edited(tabs, "python", indented(tabs_wrapped, "    ")), tabs_wrapped);
}

TEST(OwnBlanks, AlignmentBehindTheIndentationStays) {
  const std::string text = "int f(int a,\n      int b) {\n\tg(a,\n\t  b);\n\treturn h(a);\n}\n";
  EXPECT_EQ(edited(text, "c", replaced(text, "h(a)", "h(b)")), replaced(text, "h(a)", "h(b)"));
  const std::string spaces = "def f(a):\n    x = g(a,\n          a)\n    return x\n";
  EXPECT_EQ(edited(spaces, "python", replaced(spaces, "return x", "return -x")),
            replaced(spaces, "return x", "return -x"));
}

TEST(OwnBlanks, AMixedFileKeepsEachLinesOwn) {
  const std::string text = "def f(a):\n\treturn a\n\n\ndef g(a):\n    return -a\n";
  EXPECT_EQ(edited(text, "python", "def f(a):\n    return a\n\n\ndef g(b):\n    return -a\n"),
            replaced(text, "g(a)", "g(b)"));
}

TEST(OwnBlanks, BlanksAtTheEndOfALineThatDoesNotChangeStay) {
  const std::string text = "def f(count):   \n    return count\t\n   \nx = 1  \n";
  EXPECT_EQ(
      edited(text, "python", "def f(count):\n    \"\"\"Count.\"\"\"\n    return count\n\nx = 1\n"),
      "def f(count):   \n    \"\"\"Count.\"\"\"\n    return count\t\n   \nx = 1  \n");
  EXPECT_EQ(edited("a = 1\n", "python", "a = 1   \n"), "a = 1\n");
  EXPECT_EQ(edited(text, "python", "def f(count):\n    return -count\n\nx = 1\n"),
            "def f(count):   \n    return -count\n   \nx = 1  \n");
}

TEST(OwnBlanks, AnInstructionAboutBlanksGetsThem) {
  const std::string text = "def f(a):\n\treturn a  \n";
  EXPECT_EQ(edited(text, "python", "def f(a):\n\treturn a\n", "remove trailing whitespace"),
            "def f(a):\n\treturn a\n");
  EXPECT_EQ(edited(text, "python", "def f(a):\n    return a\n", "indent with 4 spaces"),
            "def f(a):\n    return a\n");
  for (const char* about : {"convert tabs to spaces", "use tabs", "reindent this",
                            "fix the indentation", "format the code", "Format this file"})
    EXPECT_TRUE(asks_for_blanks(about)) << about;
  for (const char* other : {"add a tab to the settings view", "format the date as ISO",
                            "add type hints", "allow spaces in names", "fill the space"})
    EXPECT_FALSE(asks_for_blanks(other)) << other;
}

// A text within a string has its own blanks.
TEST(OwnBlanks, AnAnswerInTheFilesUnitKeepsTheTextOfItsStrings) {
  const std::string text = "func f() {\n\ta := 1\n\tg(a)\n}\n";
  const std::string after =
      "func f() {\n\ta := 1\n\tb := `key:\n    - one\n    - two`\n\tg(a, b)\n}\n";
  EXPECT_EQ(edited(text, "go", after), after);
}

TEST(OwnBlanks, ARecipeOfAMakefileBeginsWithATab) {
  const std::string text =
      "SRC = a.c \\\n  b.c\n\nall: $(SRC)\n\tcc -o a $(SRC)\n\nclean:\n\trm a\n";
  const std::string answer =
      "SRC = a.c \\\n  b.c\n\nall: $(SRC)\n    cc -O2 -o a $(SRC)\n\nclean:\n    rm a\n\n"
      "test: all\n    ./a\n    echo ok\n";
  EXPECT_EQ(edited(text, "makefile", answer),
            "SRC = a.c \\\n  b.c\n\nall: $(SRC)\n\tcc -O2 -o a $(SRC)\n\nclean:\n\trm a\n\n"
            "test: all\n\t./a\n\techo ok\n");
  // The file has no recipe yet.
  EXPECT_EQ(edited("A = 1\n", "makefile", "A = 1\n\nrun: a b\n  ./run $(A)\n"),
            "A = 1\n\nrun: a b\n\t./run $(A)\n");
  EXPECT_EQ(edited("A = 1\n", "makefile", "A := x:y\n  B = 2\n"), "A := x:y\n  B = 2\n");
}

// What is shown while the model writes is what stays.
TEST(OwnBlanks, HunksAreFinalWhenTheyAreSent) {
  std::string text, answer;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    text += "def f" + n + "(a):\n\tif a:\n\t\treturn " + n + "\n\treturn a\n\n";
    answer += "def f" + n + "(a):\n    if a:\n        return " + n + "\n    return " +
              (i % 7 == 3 ? "-a" : "a") + "\n\n";
  }
  const auto engine =
      scripted_engine([&](const ScriptedPrompt& prompt) { return answer + prompt.fence; });
  EditRequest request;
  request.document = document(text, "python");
  request.instruction = "negate some";
  request.decoder = *parse_decoder_name("redraft");
  std::vector<Hunk> seen;
  std::vector<int> written;
  int n_tokens = 0;
  const EditObserver observer{
      .on_hunk =
          [&](const Hunk& hunk) {
            seen.push_back(hunk);
            written.push_back(n_tokens);
          },
      .on_progress =
          [&](const EditProgress& progress) { n_tokens = progress.statistics.new_tokens; }};
  const Result<EditResult> result = run_edit(*engine, request, observer, {});
  ASSERT_TRUE(result);
  ASSERT_EQ(seen.size(), 4);
  EXPECT_LT(written.front(), static_cast<int>(answer.size()) / 2);  // not only at the end
  EXPECT_EQ(apply_edits(text, edits_of(seen)), result->text);
  for (const Hunk& hunk : seen) EXPECT_EQ(hunk.edit.new_text, "\treturn -a\n");
}

// Whatever the answer is, each line of the file that it has unchanged stays byte for byte, and
// nothing but blanks differs from the answer.
TEST(OwnBlanks, OnlyBlanksDifferFromTheAnswer) {
  const std::vector<std::string> pieces = {"if a:",  "x = 1",  "\"\"\"doc", "}", "",
                                           "return", "- item", "* star",    "`", "g(a,"};
  const std::vector<std::string> blanks = {"", "\t", "\t\t", "  ", "    ", "        ", " ", "\t  "};
  unsigned state = 7;
  const auto random = [&] { return state = state * 1664525U + 1013904223U, state >> 8; };
  for (int round = 0; round < 300; ++round) {
    const auto lines = [&] {
      std::string text;
      for (unsigned i = random() % 14; i > 0; --i)
        text += blanks[random() % blanks.size()] + pieces[random() % pieces.size()] +
                (random() % 5 ? "" : "  ") + "\n";
      return text;
    };
    const std::string text = lines(), answer = lines();
    if (text.empty()) continue;
    const EditRegion region = *EditRegion::make(document(text, "lines"), EditScope::kFile, {});
    OwnBlanks own(region, "change it");
    std::vector<std::string> result;
    const auto take = [&](std::vector<std::string> some) {
      result.insert(result.end(), some.begin(), some.end());
    };
    std::vector<std::string> given;
    for (const std::string_view line : split_lines(answer)) given.emplace_back(line);
    for (const std::string& line : given) take(own.add(line));
    take(own.end());
    const auto without_blanks = [](std::string line) {
      std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
      return line;
    };
    ASSERT_EQ(result.size(), given.size());
    for (std::size_t i = 0; i < result.size(); ++i)
      ASSERT_EQ(without_blanks(result[i]), without_blanks(given[i])) << round;
    // The file itself, in whatever it is written, is no change.
    OwnBlanks same(region, "change it");
    result.clear();
    for (const std::string_view line : region.lines()) take(same.add(std::string(line)));
    take(same.end());
    ASSERT_TRUE(std::ranges::equal(result, region.lines())) << text;
  }
}

}  // namespace
}  // namespace redraft
