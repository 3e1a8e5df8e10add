// Edits by a model that thinks before it writes the code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kit/edit_script.h"
#include "tests/kit/scripted_engine.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kBefore = "def area(width, height):\n    return width * height\n";
const std::string kAfter = "def area(width, height):\n    return abs(width * height)\n";
const std::string kThought = "<think>\nI call abs().\n```\n</think>\n\n";

EditRequest request_for(const std::string& text, const char* decoder = "redraft") {
  EditRequest request;
  request.document = *Document::make("file:///a.py", 1, text, "python");
  request.instruction = "call abs";
  request.decoder = *parse_decoder_name(decoder);
  return request;
}

Result<EditResult> edit_to(const EditRequest& request, const std::string& answer,
                           const EditObserver& observer = {}) {
  const auto engine = scripted_engine([&](const ScriptedPrompt&) { return answer; });
  return run_edit(*engine, request, observer, {});
}

TEST(ThinkingEdits, HaveTheTextWithoutTheThoughtAndTheOutputWithIt) {
  for (const char* decoder : {"ar", "pld", "efficientedit:reuse-only", "redraft"}) {
    for (const std::string again : {"", "```python\n"}) {
      const std::string answer = kThought + again + kAfter + "```";
      const Result<EditResult> result = edit_to(request_for(kBefore, decoder), answer);
      ASSERT_TRUE(result) << decoder << ": " << result.error().message();
      EXPECT_EQ(result->text, kAfter) << decoder;
      EXPECT_EQ(result->output, answer) << decoder;
      EXPECT_EQ(result->statistics.new_tokens, static_cast<int>(answer.size())) << decoder;
      EXPECT_EQ(result->output.substr(result->code_begin), kAfter + "```");
      EXPECT_EQ(result->hunks.size(), 1);
    }
  }
}

TEST(ThinkingEdits, ShowNoHunkAndSayThatTheModelThinks) {
  int n_thinking = 0, n_writing = 0;
  bool has_hunk = false;
  const EditObserver observer{.on_hunk = [&](const Hunk&) { has_hunk = true; },
                              .on_progress =
                                  [&](const EditProgress& progress) {
                                    EXPECT_FALSE(progress.thinking && has_hunk);
                                    EXPECT_FALSE(progress.thinking && progress.reading());
                                    EXPECT_FALSE(progress.thinking && n_writing > 7)
                                        << "the tag alone tells that the model thinks";
                                    if (progress.reading()) return;
                                    ++(progress.thinking ? n_thinking : n_writing);
                                  }};
  const std::string thought = "<think>\n" + kBefore + "x = 1\n</think>\n";
  const Result<EditResult> result =
      edit_to(request_for(kBefore, "ar"), thought + kAfter + "```", observer);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(has_hunk);
  EXPECT_GE(n_thinking, 60);
  EXPECT_GE(n_writing, 50);
}

TEST(ThinkingEdits, FailIfTheModelOnlyThinks) {
  EditRequest limited = request_for(kBefore);
  limited.max_new_tokens = 20;
  bool has_hunk = false;
  const EditObserver observer{.on_hunk = [&](const Hunk&) { has_hunk = true; }};
  const Result<EditResult> cut = edit_to(limited, kThought + kAfter + "```", observer);
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message(), HasSubstr("still thinking after 20 tokens"));
  EXPECT_THAT(cut.error().message(), HasSubstr("edit.maxTokens"));
  const Result<EditResult> ended = edit_to(request_for(kBefore), "<think>\nI see.\n", observer);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message(), HasSubstr("wrote no code"));
  EXPECT_FALSE(has_hunk) << "the region is not deleted";
}

TEST(ThinkingEdits, TagsAreCodeWhereTheCodeOrTheInstructionHasThem) {
  const std::string tagged = "<think>\na\n</think>\n";
  EditRequest markup = request_for(tagged);
  const std::string after = "<think>\nb\n</think>\n";
  const Result<EditResult> changed = edit_to(markup, after + "```");
  ASSERT_TRUE(changed) << changed.error().message();
  EXPECT_EQ(changed->text, after);
  markup = request_for("a\n");
  markup.instruction = "put it into <think>";
  const Result<EditResult> wrapped = edit_to(markup, tagged + "```");
  ASSERT_TRUE(wrapped) << wrapped.error().message();
  EXPECT_EQ(wrapped->text, tagged);
}

TEST(ThinkingEdits, RetriesBranchInTheCode) {
  const std::string answer = kThought + kAfter + "```";
  EditRequest again = request_for(kBefore);
  again.repairs = false;
  for (int retry = 1; retry <= 5; ++retry) {
    again.retry_index = retry;
    const Result<EditResult> result = edit_to(again, answer);
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_TRUE(result->output.starts_with(kThought)) << result->output;
    EXPECT_NE(result->output, answer);
  }
  again.retry_index = static_cast<int>(kAfter.size()) + 1;
  const Result<EditResult> beyond = edit_to(again, answer);
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().message(), HasSubstr("no more than"));
}

TEST(ThinkingEdits, ARepairIsShownTheCodeAlone) {
  const std::string two = kBefore + "\n\ndef double(size):\n    return 2 * size\n";
  std::vector<std::string> prompts;
  const auto engine = scripted_engine([&](const ScriptedPrompt& prompt) {
    prompts.push_back(prompt.text);
    const bool second = prompt.text.find("That is wrong") != std::string::npos;
    return kThought + (second ? kAfter + two.substr(kBefore.size()) : kAfter) + "```";
  });
  const Result<EditResult> result = run_edit(*engine, request_for(two), {}, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_TRUE(result->repair && result->repair->taken);
  EXPECT_EQ(result->text, kAfter + two.substr(kBefore.size()));
  EXPECT_EQ(result->output, kThought + kAfter + "```");
  ASSERT_EQ(prompts.size(), 2);
  EXPECT_THAT(prompts[1], HasSubstr("assistant\n```python\n" + kAfter));
  EXPECT_THAT(prompts[1], Not(HasSubstr("I call abs().")));
}

// With a model whose template opens the thought, so that the model writes the fence.
class OpenedThought : public testing::Test {
 protected:
  Result<EditResult> edit(const std::string& thoughts, const EditRequest& request) {
    EditScript script;
    script.edits = {{"", "width * height", "abs(width * height)"}};
    script.thoughts = thoughts;
    script.opens_thought = true;
    engine_ = *make_scripted_engine(script);
    return run_edit(*engine_, request, {}, {});
  }
  std::unique_ptr<LocalEngine> engine_;
};

TEST_F(OpenedThought, IsTakenOffTooAndTheModelOpensTheFence) {
  const std::string thought = "I call abs().\n</think>\n\nHere:\n";
  for (const char* decoder : {"ar", "redraft"}) {
    const Result<EditResult> result = edit(thought, request_for(kBefore, decoder));
    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(result->text, kAfter);
    EXPECT_EQ(result->output, thought + "```python\n" + kAfter + "```");
  }
}

TEST_F(OpenedThought, HasRoomBesidesTheCode) {
  const Result<EditResult> result =
      edit(std::string(3000, 'x') + "</think>\n", request_for(kBefore));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->text, kAfter);
}

TEST_F(OpenedThought, LeavesTheChoiceOfPlacesToTheirWords) {
  EditRequest request = request_for(kBefore + "\n\nclass A:\n    pass\n");
  request.scope = EditScope::kPlaces;
  request.instruction = "call abs in area";
  const Result<EditResult> result = edit("</think>\n", request);
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_THAT(result->text, HasSubstr(kAfter));
}

}  // namespace
}  // namespace redraft
