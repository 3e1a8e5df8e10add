#include "workspace/edit/code_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr AnswerBeginning kMayThink = AnswerBeginning::kMayThink;
constexpr AnswerBeginning kThinks = AnswerBeginning::kThinks;

struct Read {
  std::vector<std::string> lines;
  std::string code;     // from code_begin() on
  std::string problem;  // of an answer that ended by itself
};

Read read(AnswerBeginning beginning, const std::string& answer, const std::string& fence = "```") {
  const auto tokenizer = byte_tokenizer();
  CodeAnswer code(*tokenizer, fence, beginning);
  Read read;
  const auto take = [&](const std::vector<std::string>& lines) {
    read.lines.insert(read.lines.end(), lines.begin(), lines.end());
  };
  for (const TokenId token : tokenizer->encode(answer)) take(code.add(token));
  take(code.end());
  if (code.code_begin()) read.code = answer.substr(*code.code_begin());
  const Result<void> checked = code.check(12, false);
  if (!checked) read.problem = checked.error().message();
  return read;
}

TEST(CodeAnswer, HasTheLinesWithoutAThought) {
  const Read plain = read(kMayThink, "  a\nb\n```\nDone.");
  EXPECT_THAT(plain.lines, ElementsAre("  a", "b"));
  EXPECT_EQ(plain.code, "  a\nb\n```\nDone.");
  const Read thought = read(kMayThink, "<think>\nc\n```\n</think>\n\n  a\nb\n```\n");
  EXPECT_THAT(thought.lines, ElementsAre("  a", "b"));
  EXPECT_EQ(thought.code, "  a\nb\n```\n");
  EXPECT_EQ(thought.problem, "");
}

TEST(CodeAnswer, AFenceMayBeOpenedAgainAfterAThought) {
  EXPECT_THAT(read(kMayThink, "<think>c</think>\n```python\na\n```\n").lines, ElementsAre("a"));
  EXPECT_THAT(read(kMayThink, "<think>c</think>```\na\n````").lines, ElementsAre("a", "````"));
  const Read longer = read(kMayThink, "<think>c</think>````\na\n```\nb\n````\n");
  EXPECT_THAT(longer.lines, ElementsAre("a", "```", "b"));
  EXPECT_EQ(longer.code, "a\n```\nb\n````\n");
  // Without a thought, the first line is code, and so is a fence that is shorter than the prompt's.
  EXPECT_THAT(read(kMayThink, "```sh\na\n```\n").lines, ElementsAre("```sh", "a", "```"));
  EXPECT_THAT(read(kMayThink, "<think>c</think>```sh\na\n```\n````", "````").lines,
              ElementsAre("```sh", "a", "```"));
}

TEST(CodeAnswer, MayConsistOfTheClosingFenceAfterAThought) {
  const Read none = read(kMayThink, "<think>Delete it.</think>\n```");
  EXPECT_THAT(none.lines, IsEmpty());
  EXPECT_EQ(none.problem, "");
  EXPECT_THAT(read(kMayThink, "<think>c</think>a").lines, ElementsAre("a"));
}

TEST(CodeAnswer, BeginsAfterTheFenceIfThePromptOpensAThought) {
  const Read code = read(kThinks, "c\n</think>\n\nHere it is:\n\n```python\n  a\n```\nx");
  EXPECT_THAT(code.lines, ElementsAre("  a"));
  EXPECT_EQ(code.code, "  a\n```\nx");
  EXPECT_EQ(code.problem, "");
  EXPECT_THAT(read(kThinks, "</think>```\r\na\r\n```\r\n").lines, ElementsAre("a"));
}

TEST(CodeAnswer, AShorterFenceOpensNoCode) {
  const std::string code = "Text:\n```\nx\n```\n```sh\ny\n```\n";
  const std::vector<std::string> lines = {"Text:", "```", "x", "```", "```sh", "y", "```"};
  for (const std::string before : {"", "Like this:\n```\nx\n```\n", "```sh\n"}) {
    const Read opened = read(kThinks, "c</think>\n" + before + "````md\n" + code + "````", "````");
    EXPECT_EQ(opened.lines, lines) << before;
    EXPECT_EQ(opened.code, code + "````");
  }
  const Read shorter = read(kThinks, "c</think>\n```md\n" + code + "```\n", "````");
  EXPECT_THAT(shorter.lines, IsEmpty()) << "not the code up to the first bare fence";
  EXPECT_THAT(shorter.problem, HasSubstr("no code block"));
}

TEST(CodeAnswer, WordsBetweenAThoughtAndTheFenceAreDropped) {
  const std::string thought = "<think>c</think>\n\n";
  const Read code = read(kMayThink, thought + "Here it is:\n\n```python\na\n```\nDone.");
  EXPECT_THAT(code.lines, ElementsAre("a"));
  EXPECT_EQ(code.code, "a\n```\nDone.");
  EXPECT_THAT(read(kMayThink, thought + "Not ```x```:\n````py\na\n````", "````").lines,
              ElementsAre("a"));
  // Without such a fence, all of it is code.
  const Read plain = read(kMayThink, thought + "a\n```sh\nb\n```\nc\n````\nDone.", "````");
  EXPECT_THAT(plain.lines, ElementsAre("a", "```sh", "b", "```", "c"));
  EXPECT_EQ(plain.code, "a\n```sh\nb\n```\nc\n````\nDone.");
  EXPECT_THAT(read(kMayThink, thought + "a\nb").lines, ElementsAre("a", "b"));
  EXPECT_THAT(read(kMayThink, thought + "```sh").lines, IsEmpty());
  // What follows the end of the code does not count.
  EXPECT_THAT(read(kMayThink, thought + "a\n```\nOr:\n```python\nb\n```\n").lines,
              ElementsAre("a"));
}

TEST(CodeAnswer, LinesArriveAtOnceUnlessAThoughtCameBefore) {
  const auto tokenizer = byte_tokenizer();
  const auto lines_of = [&](CodeAnswer& code, const std::string& text) {
    std::vector<std::string> lines;
    for (const TokenId token : tokenizer->encode(text))
      for (const std::string& line : code.add(token)) lines.push_back(line);
    return lines;
  };
  CodeAnswer plain(*tokenizer, "```", kMayThink);
  EXPECT_THAT(lines_of(plain, "a\n"), ElementsAre("a"));
  CodeAnswer thought(*tokenizer, "```", kMayThink);
  EXPECT_THAT(lines_of(thought, "<think>c</think>\na\n"), IsEmpty());
  EXPECT_EQ(thought.code_begin(), std::nullopt);
  EXPECT_THAT(lines_of(thought, "b\n```\n"), ElementsAre("a", "b"));
  EXPECT_TRUE(thought.closed());
  CodeAnswer opened(*tokenizer, "```", kMayThink);
  EXPECT_THAT(lines_of(opened, "<think>c</think>\nSo:\n```py\na\n"), ElementsAre("a"));
}

TEST(CodeAnswer, ThatOnlyThinksIsRefused) {
  for (const char* answer : {"<think>a", "<think>a</think>", "<think>\n</think>\n\n"}) {
    const Read none = read(kMayThink, answer);
    EXPECT_THAT(none.lines, IsEmpty()) << answer;
    EXPECT_THAT(none.problem, HasSubstr("thought")) << answer;
    EXPECT_EQ(none.code, "") << answer;
  }
  EXPECT_THAT(read(kThinks, "a</think>\nNo.\n").problem, HasSubstr("no code block"));
  EXPECT_THAT(read(kThinks, "a").problem, HasSubstr("thought for 12 tokens"));
  EXPECT_EQ(read(kMayThink, "").problem, "") << "it deletes all lines";
}

TEST(CodeAnswer, ThatReachesTheLimitWithinAThoughtSaysWhatToDo) {
  const auto tokenizer = byte_tokenizer();
  CodeAnswer code(*tokenizer, "```", kMayThink);
  EXPECT_FALSE(code.thinking());
  for (const TokenId token : tokenizer->encode("<think>a")) code.add(token);
  EXPECT_TRUE(code.thinking());
  const Result<void> checked = code.check(8, true);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message(), HasSubstr("still thinking after 8 tokens"));
  EXPECT_THAT(checked.error().message(), HasSubstr("--max-new-tokens"));
  for (const TokenId token : tokenizer->encode("</think>x")) code.add(token);
  EXPECT_TRUE(code.check(17, true)) << "it is cut short like any other answer";
}

}  // namespace
}  // namespace redraft
