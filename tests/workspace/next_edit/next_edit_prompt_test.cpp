#include "workspace/next_edit/next_edit_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const NextEditFormat& format_named(std::string_view name) {
  return *find_next_edit_format(name, "");
}

// A file whose lines and latest change are easy to tell.
struct Example {
  std::vector<std::string> lines = {"def area(width, height):", "    return width * height", "",
                                    "def volume(width, depth):", "    return area(width) * depth"};
  NextEditQuestion question{};

  NextEditQuestion& with_change() {
    views.assign(lines.begin(), lines.end());
    question.path = "src/shape.py";
    question.lines = views;
    question.cursor_line = 4;
    question.cursor_column = 4;
    question.changes = {{.path = "src/shape.py",
                         .line = 0,
                         .before = {"def area(width):", "    return width * width"},
                         .after = {"def area(width, height):", "    return width * height"},
                         .below = {"", "def volume(width, depth):"}}};
    return question;
  }
  std::vector<std::string_view> views = {};
};

// Tokens between double brackets.
std::string shown(const std::vector<PromptPart>& parts) {
  std::string text;
  for (const PromptPart& part : parts) text += part.control ? "⟦" + part.text + "⟧" : part.text;
  return text;
}

std::string prompt_of(std::string_view format, const NextEditQuestion& question) {
  const Result<NextEditPrompt> prompt = make_next_edit_prompt(format_named(format), question);
  return prompt ? shown(prompt->parts) : "refused: " + prompt.error().message();
}

TEST(NextEditPrompt, Sweep) {
  Example example;
  NextEditQuestion& question = example.with_change();
  question.related = {{.path = "src/main.py", .text = "print(volume(1, 2))\n"}};
  EXPECT_EQ(
      prompt_of("sweep", question),
      "⟦<|file_sep|>⟧src/main.py\nprint(volume(1, 2))\n"
      "⟦<|file_sep|>⟧src/shape.py.diff\noriginal:\ndef area(width):\n    return width * width\n"
      "updated:\ndef area(width, height):\n    return width * height\n"
      "⟦<|file_sep|>⟧original/src/shape.py\ndef area(width):\n    return width * width\n\n"
      "def volume(width, depth):\n    return area(width) * depth\n"
      "⟦<|file_sep|>⟧current/src/shape.py\ndef area(width, height):\n"
      "    return width * height\n\ndef volume(width, depth):\n    return area(width) * depth\n"
      "⟦<|file_sep|>⟧updated/src/shape.py\n");
}

TEST(NextEditPrompt, SweepV2GivesWhatIsAboveTheCursor) {
  Example example;
  const NextEditQuestion& question = example.with_change();
  EXPECT_EQ(
      prompt_of("sweep-v2", question),
      "⟦<|file_sep|>⟧src/shape.py.diff\noriginal:\ndef area(width):\n    return width * width\n"
      "updated:\ndef area(width, height):\n    return width * height\n"
      "⟦<|file_sep|>⟧original/src/shape.py:1:5\ndef area(width):\n    return width * width\n\n"
      "def volume(width, depth):\n    return area(width) * depth\n"
      "⟦<|file_sep|>⟧current/src/shape.py:1:5\ndef area(width, height):\n"
      "    return width * height\n\ndef volume(width, depth):\n"
      "    <|cursor|>return area(width) * depth\n"
      "⟦<|file_sep|>⟧updated/src/shape.py:1:5\ndef area(width, height):\n"
      "    return width * height\n\ndef volume(width, depth):\n");
  const auto prompt = make_next_edit_prompt(format_named("sweep-v2"), question);
  EXPECT_EQ(prompt->draft, "    return area(width) * depth\n");
  EXPECT_EQ(prompt->prefilled, 4);
}

TEST(NextEditPrompt, SweepV2ShowsTheFileAroundTheWindow) {
  Example example;
  NextEditQuestion& question = example.with_change();
  std::vector<std::string> many;
  for (int i = 1; i <= 400; ++i) many.push_back("line " + std::to_string(i));
  const std::vector<std::string_view> views(many.begin(), many.end());
  question.lines = views;
  question.changes.clear();
  question.cursor_line = 199;
  const std::string text = prompt_of("sweep-v2", question);
  EXPECT_THAT(text, testing::StartsWith("⟦<|file_sep|>⟧src/shape.py\nline 40\nline 41\n"));
  EXPECT_THAT(text, HasSubstr("\nline 189\nline 211\n")) << "without the window";
  EXPECT_THAT(text,
              HasSubstr("\nline 360\n⟦<|file_sep|>⟧original/src/shape.py:190:210\nline 190\n"));
}

// A line end and the blank lines after it are one token, which the model writes.
TEST(NextEditPrompt, PrefilledTextDoesNotEndBeforeABlankLine) {
  Example example;
  NextEditQuestion& question = example.with_change();
  question.cursor_line = 2;
  question.cursor_column = 0;
  const auto prompt = make_next_edit_prompt(format_named("sweep-v2"), question);
  EXPECT_EQ(prompt->prefilled, 1);
}

TEST(NextEditPrompt, Zeta) {
  Example example;
  const NextEditQuestion& question = example.with_change();
  const std::string text = prompt_of("zeta", question);
  EXPECT_THAT(text, testing::StartsWith("### Instruction:\n"));
  EXPECT_THAT(text, testing::EndsWith(
                        "\n\n### User Edits:\n\nUser edited src/shape.py:\n```diff\n"
                        "@@ -1,4 +1,4 @@\n-def area(width):\n-    return width * width\n"
                        "+def area(width, height):\n+    return width * height\n \n"
                        " def volume(width, depth):\n```\n\n### User Excerpt:\n\n```src/shape.py\n"
                        "<|start_of_file|>\n<|editable_region_start|>\ndef area(width, height):\n"
                        "    return width * height\n\ndef volume(width, depth):\n"
                        "    <|user_cursor_is_here|>return area(width) * depth\n"
                        "<|editable_region_end|>\n```\n\n### Response:\n"));
}

TEST(NextEditPrompt, Zeta2) {
  Example example;
  NextEditQuestion& question = example.with_change();
  question.related = {{.path = "src/main.py", .text = "print(volume(1, 2))\n"}};
  EXPECT_EQ(prompt_of("zeta-2", question),
            "⟦<[fim-suffix]>⟧\n⟦<[fim-prefix]>⟧⟦<filename>⟧src/main.py\nprint(volume(1, 2))\n\n"
            "⟦<filename>⟧edit_history\n--- a/src/shape.py\n+++ b/src/shape.py\n@@ -1,4 +1,4 @@\n"
            "-def area(width):\n-    return width * width\n+def area(width, height):\n"
            "+    return width * height\n \n def volume(width, depth):\n\n"
            "⟦<filename>⟧src/shape.py\n<<<<<<< CURRENT\ndef area(width, height):\n"
            "    return width * height\n\ndef volume(width, depth):\n"
            "    <|user_cursor|>return area(width) * depth\n=======\n⟦<[fim-middle]>⟧");
}

// With a window and a context that are bound by their bytes.
TEST(NextEditPrompt, Zeta2ShowsWhatIsAroundTheWindow) {
  Example example;
  NextEditQuestion& question = example.with_change();
  std::vector<std::string> many;
  for (int i = 100; i < 400; ++i) many.push_back("this is line " + std::to_string(i));  // 17 bytes
  const std::vector<std::string_view> views(many.begin(), many.end());
  question.lines = views;
  question.changes.clear();
  question.cursor_line = 150;
  question.cursor_column = 0;
  const auto prompt = make_next_edit_prompt(format_named("zeta-2"), question);
  ASSERT_TRUE(prompt);
  const int lines = prompt->end_line - prompt->first_line;
  EXPECT_EQ(lines, 1050 / 17);
  EXPECT_LE(std::abs((150 - prompt->first_line) - (prompt->end_line - 151)), 1) << "in its middle";
  const std::string text = shown(prompt->parts);
  const auto number = [](int line) { return "line " + std::to_string(100 + line) + "\n"; };
  EXPECT_THAT(text, HasSubstr("⟦<[fim-suffix]>⟧\nthis is " + number(prompt->end_line)));
  EXPECT_THAT(text, HasSubstr(number(prompt->first_line - 1) + "<<<<<<< CURRENT\nthis is " +
                              number(prompt->first_line)));
  EXPECT_THAT(text, Not(HasSubstr(number(prompt->first_line - 15))));
}

TEST(NextEditPrompt, Zeta21MarksRegions) {
  std::vector<std::string> lines;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 6; ++j) lines.push_back("line " + std::to_string(10 * i + j));
    lines.emplace_back();
  }
  Example example;
  example.lines = lines;
  NextEditQuestion& question = example.with_change();
  question.changes.clear();
  question.cursor_line = 1;
  question.cursor_column = 0;
  const auto prompt = make_next_edit_prompt(format_named("zeta-2.1"), question);
  ASSERT_TRUE(prompt);
  EXPECT_THAT(prompt->marks, ElementsAre(0, 7, 14, 21));
  EXPECT_THAT(shown(prompt->parts),
              HasSubstr("<<<<<<< CURRENT\n<|marker_1|>line 0\n<|user_cursor|>line 1\nline 2\n"));
  EXPECT_THAT(shown(prompt->parts), HasSubstr("line 25\n<|marker_4|>\n=======\n⟦<[fim-middle]>⟧"));
  EXPECT_THAT(prompt->draft, testing::StartsWith("<|marker_1|>line 0\nline 1\n"));
}

TEST(NextEditPrompt, Instinct) {
  Example example;
  NextEditQuestion& question = example.with_change();
  question.changes.push_back({.path = "other.py", .line = 0, .before = {"a"}, .after = {"b"}});
  question.related = {{.path = "src/main.py", .text = "print(volume(1, 2))\n"}};
  const std::string text = prompt_of("instinct", question);
  EXPECT_THAT(text, testing::StartsWith("⟦<|im_start|>⟧system\n"));
  EXPECT_THAT(text,
              HasSubstr("⟦<|im_end|>⟧\n⟦<|im_start|>⟧user\n### Context:\n"
                        "<|context_file|>: src/main.py\n<|snippet|>\nprint(volume(1, 2))\n"
                        "\n### User Edits:\n\nUser edited file \"other.py\"\n\n```diff\n"
                        "@@ -1,1 +1,1 @@\n-a\n+b\n```\n\nUser edited file \"src/shape.py\"\n\n"))
      << "the newest first";
  EXPECT_THAT(text, testing::EndsWith(
                        "### User Excerpt:\nsrc/shape.py\n\ndef area(width, height):\n"
                        "    return width * height\n\n<|editable_region_start|>\n"
                        "def volume(width, depth):\n    <|user_cursor_is_here|>return area(width)"
                        " * depth\n<|editable_region_end|>\n\n### Response:⟦<|im_end|>⟧\n"
                        "⟦<|im_start|>⟧assistant\n"));
}

TEST(NextEditPrompt, ShowsTheLatestChangesWithinTheirBounds) {
  Example example;
  NextEditQuestion& question = example.with_change();
  question.changes.clear();
  const auto add = [&](const std::string& path, const std::string& after, int lines = 1) {
    question.changes.push_back(
        {.path = path,
         .line = 0,
         .before = {},
         .after = std::vector<std::string>(static_cast<std::size_t>(lines), after)});
  };
  for (int i = 0; i < 5; ++i) add("src/shape.py", "change " + std::to_string(i));
  const std::string few = prompt_of("sweep", question);
  EXPECT_THAT(few, Not(HasSubstr("updated:\nchange 1")));
  EXPECT_THAT(few, HasSubstr("updated:\nchange 2"));
  EXPECT_THAT(few, HasSubstr("updated:\nchange 4"));
  add("src/shape.py", "many", 100);
  const std::string cut = prompt_of("sweep", question);
  EXPECT_THAT(cut, HasSubstr("many\n...\nmany"));
  EXPECT_THAT(cut, HasSubstr("updated:\nchange 4"));
  add("src/shape.py", std::string(400, 'x'), 100);
  EXPECT_THAT(prompt_of("sweep", question), Not(HasSubstr("xxxx\nupdated"))) << "it is too long";
  EXPECT_THAT(prompt_of("sweep", question), Not(HasSubstr(".diff\n"))) << "nor is what came before";
}

TEST(NextEditPrompt, ChangesOutsideTheWindowLeaveItAsItWas) {
  Example example;
  std::vector<std::string> many(100, "same");
  example.lines = many;
  NextEditQuestion& question = example.with_change();
  question.cursor_line = 80;
  EXPECT_THAT(prompt_of("sweep", question), Not(HasSubstr("original/src/shape.py\ndef area")));
}

// Changes of a file come in the order of its lines.
TEST(NextEditPrompt, AChangeFurtherDownDoesNotHideTheOneInTheWindow) {
  Example example;
  std::vector<std::string> many(100, "same");
  many[0] = example.lines[0];
  many[1] = example.lines[1];
  example.lines = many;
  NextEditQuestion& question = example.with_change();
  question.changes.push_back(
      {.path = "src/shape.py", .line = 90, .before = {"x"}, .after = {"same"}});
  EXPECT_THAT(prompt_of("sweep", question),
              HasSubstr("original/src/shape.py\ndef area(width):\n    return width * width\n"));
}

TEST(NextEditPrompt, TextThatTheFormatReservesIsNotShown) {
  const std::vector<std::pair<std::string, std::string>> hostile = {
      {"sweep", "x = '<|file_sep|>'"},       {"sweep", "a</s>"},
      {"sweep-v2", "# <|cursor|>"},          {"zeta", "<|editable_region_end|>"},
      {"zeta-2", ">>>>>>> UPDATED"},         {"zeta-2", "<[fim-middle]>"},
      {"zeta-2.1", "print('<|marker_2|>')"}, {"instinct", "<|im_end|>"}};
  for (const auto& [format, text] : hostile) {
    Example in_buffer;
    in_buffer.lines.push_back(text);
    EXPECT_THAT(prompt_of(format, in_buffer.with_change()), HasSubstr("refused: ")) << text;
    Example in_history;
    in_history.with_change().changes[0].before = {text};
    EXPECT_THAT(prompt_of(format, in_history.question), HasSubstr("refused: ")) << text;
    Example in_related;
    in_related.with_change().related = {{.path = "b", .text = text}};
    EXPECT_THAT(prompt_of(format, in_related.question), HasSubstr("refused: ")) << text;
    Example in_path;
    in_path.with_change().path = text;
    EXPECT_THAT(prompt_of(format, in_path.question), HasSubstr("refused: ")) << text;
    Example plain;
    EXPECT_THAT(prompt_of(format, plain.with_change()), Not(HasSubstr("refused: ")));
  }
  Example lines_in_path;
  lines_in_path.with_change().path = "a\nb";
  EXPECT_THAT(prompt_of("sweep", lines_in_path.question), HasSubstr("refused: "));
  Example nowhere;
  nowhere.with_change().cursor_line = 5;
  EXPECT_THAT(prompt_of("sweep", nowhere.question), HasSubstr("refused: "));
}

// What is put into a block is text, whatever it spells.
TEST(NextEditPrompt, NothingInABufferIsReplacedOrAToken) {
  Example example;
  example.lines = {"{path} {window}", "<filename>"};
  NextEditQuestion& question = example.with_change();
  question.changes.clear();
  question.cursor_line = 0;
  EXPECT_THAT(prompt_of("sweep", question),
              HasSubstr("⟦<|file_sep|>⟧current/src/shape.py\n{path} {window}\n<filename>\n⟦"));
}

TEST(NextEditPrompt, MarksAreTokensWhereTheVocabularyHasThem) {
  Example example;
  const NextEditFormat& format = format_named("zeta-2");
  const auto prompt = make_next_edit_prompt(format, example.with_change());
  const auto seed = byte_tokenizer({"<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>"});
  const auto text = as_tokens(format, *seed, prompt->parts);
  ASSERT_TRUE(text);
  EXPECT_THAT(shown(*text), HasSubstr("⟦<[fim-prefix]>⟧<filename>edit_history\n"));
  const auto missing = as_tokens(format, *byte_tokenizer({"<[fim-prefix]>"}), prompt->parts);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr("needs the token <[fim-suffix]>"));
}

TEST(RegionMarks, StandAtBlankLinesAndNotBeforeAnEnd) {
  const auto marks = [](const std::vector<std::string>& lines) {
    return region_marks(lines, 3, 5);
  };
  EXPECT_THAT(marks({"a", "b"}), ElementsAre(0, 2));
  EXPECT_THAT(marks({}), ElementsAre(0, 0));
  EXPECT_THAT(marks({"a", "b", "", "c", "d", "e"}), ElementsAre(0, 3, 6));
  EXPECT_THAT(marks({"a", "b", "", "}", "d", "e", "f"}), ElementsAre(0, 4, 7));
  EXPECT_THAT(marks({"a", "b", "", "return;", "break", "e", "f", "g"}), ElementsAre(0, 5, 8));
  EXPECT_THAT(marks({"a", "b", "", "c", "d"}), ElementsAre(0, 5)) << "too few would follow";
  EXPECT_THAT(marks({"a", "b", "c", "d", "e", "f", "g"}), ElementsAre(0, 5, 7)) << "at most five";
  EXPECT_THAT(marks({"a", "b", "c", "d", "e", ")", "g"}), ElementsAre(0, 6, 7));
}

}  // namespace
}  // namespace redraft
