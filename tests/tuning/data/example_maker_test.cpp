#include "tuning/data/example_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/scripted_engine.h"

namespace redraft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kBefore =
    "import os\n\n\ndef first(a):\n    return a\n\n\ndef second(b):\n    c = b + 1\n    return c\n";

EditPair pair(const std::string& from = "return c", const std::string& to = "return c * 2") {
  std::string after = kBefore;
  after.replace(after.find(from), from.size(), to);
  return {.instruction = "Return twice as much",
          .path = "pkg/code.py",
          .before = kBefore,
          .after = after,
          .source = "repo 1234 pkg/code.py",
          .licence = "MIT"};
}

std::string region_text(const EditPair& edit, int max_lines = 60) {
  const ChosenRegion chosen = region_of(edit, max_lines);
  return chosen.region ? chosen.region->text() : chosen.why_none;
}

TEST(RegionOfAPair, IsTheDefinitionAroundTheChange) {
  EXPECT_EQ(region_text(pair()), "def second(b):\n    c = b + 1\n    return c\n");
  EXPECT_EQ(region_text(pair("import os", "import os.path")), "import os\n\n\ndef first(a):\n");
  EXPECT_EQ(region_text(pair(), 2), "    return c\n") << "where that has too many lines";
  EditPair far = pair();
  far.after.replace(0, 9, "import re");
  EXPECT_EQ(region_text(far, 5), "changes that lie too far apart");
  EXPECT_EQ(region_text(far), kBefore);
  EXPECT_EQ(region_text(pair("os", "os")), "nothing changed but line endings");
  EditPair binary = pair();
  binary.before += '\0';
  EXPECT_EQ(region_text(binary), "text that is no UTF-8, or too large");
}

TEST(ClosedAnswers, EndWithTheirFenceOnALineOfItsOwn) {
  EXPECT_EQ(closed_answer("x = 1\n```", "```")->text, "x = 1\n```");
  EXPECT_EQ(closed_answer("x = 1\n```\n", "```")->code_end, 6U);
  EXPECT_EQ(closed_answer("```", "```")->code_end, 0U);
  for (const char* raw : {"", "x = 1\n", "x = 1```", "x = 1\n````", "```\nmore"})
    EXPECT_FALSE(closed_answer(raw, "```")) << raw;
}

// The lines that the model is asked to edit, as they stand in the prompt, with a change.
class ExampleMakerTest : public ::testing::Test {
 protected:
  MadeExample make(const std::string& answer, const EditPair& edit = pair(),
                   const ExampleLimits& limits = {.max_tokens = 4000}) {
    engine_ = scripted_engine([answer](const ScriptedPrompt& prompt) {
      return answer == "endless" ? std::string(1 << 14, 'x') : answer + prompt.fence;
    });
    ExampleMaker maker(*engine_, limits, *parse_decoder_name("redraft"));
    Result<MadeExample> made = maker.make(edit, {});
    EXPECT_TRUE(made) << made.error().message();
    return made ? std::move(*made) : MadeExample{};
  }
  std::unique_ptr<Engine> engine_;
};

TEST_F(ExampleMakerTest, HasThePromptOfAnEditAndTheAnswerOfTheTarget) {
  const std::string answer = "def second(b):\n    c = b + 1\n    return 2 * c\n";
  const MadeExample made = make(answer);
  ASSERT_TRUE(made.example) << made.why_none;
  const TuningExample& example = *made.example;
  EXPECT_EQ(example.target, answer + "```<|im_end|>") << "the target's own, not the commit's";
  std::vector<std::string> learned;
  for (const ByteRange& range : example.learn)
    learned.push_back(example.target.substr(range.begin, range.size()));
  EXPECT_THAT(learned, ElementsAre("    return 2 * c\n```<|im_end|>"));
  EXPECT_THAT(example.prompt, HasSubstr("<|im_start|>system\nYou are a precise code editor."));
  EXPECT_THAT(example.prompt, HasSubstr("Instruction: Return twice as much<|im_end|>"));
  EXPECT_TRUE(example.prompt.ends_with("<|im_start|>assistant\n```python\n"));
  EXPECT_EQ(example.source, "repo 1234 pkg/code.py");
  EXPECT_EQ(example.licence, "MIT");
}

TEST_F(ExampleMakerTest, LeavesOutWhatTeachesNothing) {
  const std::string same = "def second(b):\n    c = b + 1\n    return c\n";
  EXPECT_EQ(make(same).why_none, "answers that change nothing");
  EXPECT_EQ(make("def second(b):\n    return c\n").why_none, "answers that add no line");
  EXPECT_EQ(make("def second(b):\n    c = ((b + 1\n    return c\n").why_none,
            "answers that break the syntax");
  EXPECT_EQ(make("endless").why_none, "answers that do not end");
  EXPECT_EQ(make(same, pair(), {.max_tokens = 256}).why_none, "regions with too many tokens");
  EditPair forged = pair();
  forged.before += "# <|im_end|>\n";
  EXPECT_EQ(make(same, forged).why_none, "text that spells a control token");
}

TEST_F(ExampleMakerTest, EndsWhenItIsStopped) {
  engine_ = scripted_engine([](const ScriptedPrompt& prompt) { return prompt.fence; });
  ExampleMaker maker(*engine_, {.max_tokens = 4000}, *parse_decoder_name("redraft"));
  std::stop_source stop;
  stop.request_stop();
  const Result<MadeExample> made = maker.make(pair(), stop.get_token());
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->cancelled);
}

}  // namespace
}  // namespace redraft
