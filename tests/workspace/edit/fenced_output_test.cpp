#include "workspace/edit/fenced_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redraft {
namespace {

using testing::ElementsAre;

struct Outcome {
  std::vector<std::string> lines;
  bool closed_by_fence = false;
};

// The result, which is the same whether the bytes arrive one by one or all at once.
Outcome read(const std::string& fence, const std::string& output) {
  Outcome outcome;
  FencedOutput whole(fence);
  outcome.lines = whole.add(output);
  outcome.closed_by_fence = whole.closed();
  for (std::string& line : whole.end()) outcome.lines.push_back(std::move(line));

  FencedOutput piecewise(fence);
  std::vector<std::string> lines;
  for (const char byte : output) {
    for (std::string& line : piecewise.add({&byte, 1})) lines.push_back(std::move(line));
  }
  EXPECT_EQ(piecewise.closed(), outcome.closed_by_fence);
  for (std::string& line : piecewise.end()) lines.push_back(std::move(line));
  EXPECT_EQ(lines, outcome.lines);
  return outcome;
}

TEST(FenceAround, IsLongerThanAnyRunOfBackTicks) {
  EXPECT_EQ(fence_around(""), "```");
  EXPECT_EQ(fence_around("a `b` ``c``"), "```");
  EXPECT_EQ(fence_around("x ``` y"), "````");
  EXPECT_EQ(fence_around("`````"), "``````");
}

TEST(FencedOutput, EndsAtTheClosingFence) {
  const Outcome outcome = read("```", "a = 1\n\nb = 2\n```\nHere is what I changed:\n```\n");
  EXPECT_THAT(outcome.lines, ElementsAre("a = 1", "", "b = 2"));
  EXPECT_TRUE(outcome.closed_by_fence);
}

TEST(FencedOutput, AFenceOrTheTurnsEndMayComeWithoutANewline) {
  EXPECT_THAT(read("```", "a\n```").lines, ElementsAre("a"));
  EXPECT_THAT(read("```", "a\nb").lines, ElementsAre("a", "b"));
  EXPECT_THAT(read("```", "a\n").lines, ElementsAre("a"));
  EXPECT_THAT(read("```", "```").lines, ElementsAre());
  EXPECT_THAT(read("```", "").lines, ElementsAre());
  EXPECT_FALSE(read("```", "a\nb").closed_by_fence);
}

TEST(FencedOutput, BackTicksInTheTextAreText) {
  EXPECT_THAT(
      read("```", "\"\"\"\n    ```\n    f()\n    ```\n\"\"\"\nx = '```'\n```y```\n``\n```\n").lines,
      ElementsAre("\"\"\"", "    ```", "    f()", "    ```", "\"\"\"", "x = '```'", "```y```",
                  "``"));
  EXPECT_THAT(read("````", "# Title\n```sh\nls\n```\ntext\n````\n").lines,
              ElementsAre("# Title", "```sh", "ls", "```", "text"));
}

TEST(FencedOutput, AFenceOpenedInsideIsClosedFirst) {
  EXPECT_THAT(read("```", "\"\"\"\n```python\nf()\n```\n\"\"\"\n```\nmore").lines,
              ElementsAre("\"\"\"", "```python", "f()", "```", "\"\"\""));
  // A shorter one inside does not keep the real one from closing.
  EXPECT_THAT(read("````", "```python\nf()\n````\nmore").lines, ElementsAre("```python", "f()"));
}

TEST(FencedOutput, AShorterFenceRightBeforeTheEndClosesToo) {
  EXPECT_THAT(read("````", "a\n```").lines, ElementsAre("a"));
  EXPECT_THAT(read("````", "a\n```\n").lines, ElementsAre("a"));
  // But not if it has to close one inside, or if more text follows.
  EXPECT_THAT(read("````", "```sh\nls\n```").lines, ElementsAre("```sh", "ls", "```"));
  EXPECT_THAT(read("````", "```\nls\n```").lines, ElementsAre("```", "ls", "```"));
  EXPECT_THAT(read("````", "a\n```\nb").lines, ElementsAre("a", "```", "b"));
  EXPECT_THAT(read("````", "a\n``").lines, ElementsAre("a", "``"));
}

TEST(FencedOutput, ALongerFenceIsText) {
  EXPECT_THAT(read("```", "a\n````\nb\n```\n").lines, ElementsAre("a", "````", "b"));
}

TEST(FencedOutput, CarriageReturnsBeforeANewlineAreDropped) {
  EXPECT_THAT(read("```", "a\r\nb\r\n```\r\n").lines, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace redraft
