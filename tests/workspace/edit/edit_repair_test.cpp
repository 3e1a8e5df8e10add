#include "workspace/edit/edit_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/scripted_engine.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kText =
    "def area(width, height):\n    return width * height\n\n\n"
    "def double(size):\n    return 2 * size\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// The docstring stands where the function began.
const std::string kFaulty =
    replaced(kText, "def double(size):\n", "    \"\"\"Twice the size.\"\"\"\n");
const std::string kSound =
    replaced(kText, "def double(size):\n", "def double(size):\n    \"\"\"Twice the size.\"\"\"\n");

EditRequest request(const char* decoder = "redraft") {
  EditRequest request;
  request.document = *Document::make("file:///a.py", 1, kText, "python");
  request.instruction = "add a docstring to double";
  request.decoder = *parse_decoder_name(decoder);
  return request;
}

struct Watched {
  Result<EditResult> result = Error("not run");
  std::vector<std::string> prompts;
  std::vector<Hunk> hunks;
  std::vector<std::vector<Hunk>> replaced;
};

// The model writes `first`, and `second` when it is asked again.
Watched run(const EditRequest& request, const std::string& first, const std::string& second) {
  Watched watched;
  const auto engine = scripted_engine([&](const ScriptedPrompt& prompt) {
    const bool again = prompt.text.find("That is wrong: ") != std::string::npos;
    return (again ? second : first) + "```";
  });
  const EditObserver observer{
      .on_hunk = [&](const Hunk& hunk) { watched.hunks.push_back(hunk); },
      .on_replaced = [&](const std::vector<Hunk>& hunks) { watched.replaced.push_back(hunks); }};
  watched.result = run_edit(*engine, request, observer, {});
  return watched;
}

TEST(EditRepair, ASecondAnswerWithoutTheFaultIsTaken) {
  for (const char* decoder : {"ar", "redraft", "efficientedit:reuse-only"}) {
    const Watched watched = run(request(decoder), kFaulty, kSound);
    ASSERT_TRUE(watched.result) << watched.result.error().message();
    const EditResult& result = *watched.result;
    EXPECT_EQ(result.text, kSound) << decoder;
    EXPECT_THAT(result.doubts, IsEmpty());
    EXPECT_EQ(result.output, kFaulty + "```");  // what the model wrote when it was first asked
    ASSERT_TRUE(result.repair);
    EXPECT_TRUE(result.repair->taken);
    EXPECT_EQ(result.repair->because, "the definition of 'double' is gone");
    EXPECT_GT(result.repair->statistics.new_tokens, 0);
    EXPECT_LE(result.statistics.new_tokens, static_cast<int>(kFaulty.size()) + 3);
    // The first hunks came at once, doubtful ones with the reason; the others are new ones.
    ASSERT_EQ(watched.hunks.size(), 1);
    EXPECT_EQ(watched.hunks[0].doubt, "the definition of 'double' is gone");
    ASSERT_EQ(watched.replaced.size(), 1);
    ASSERT_EQ(watched.replaced[0].size(), result.hunks.size());
    EXPECT_EQ(result.hunks[0].id, 1);
  }
}

TEST(EditRepair, LinesThatTheAnswerLeavesOutStay) {
  const std::string lazy =
      "def area(width, height):\n    # ... existing code ...\n\n\n"
      "def double(size):\n    return size + size\n";
  const Watched watched = run(request(), lazy, "must not be asked");
  ASSERT_TRUE(watched.result) << watched.result.error().message();
  EXPECT_EQ(watched.result->text, replaced(kText, "2 * size", "size + size"));
  EXPECT_THAT(watched.result->doubts, IsEmpty());
  EXPECT_THAT(watched.result->tidied, testing::ElementsAre(HasSubstr("leaves out stay")));
  EXPECT_FALSE(watched.result->repair);
  EXPECT_EQ(watched.result->output, lazy + "```");
}

TEST(EditRepair, WhatIsPutBackStaysInTheRegion) {
  EditRequest only_double = request();
  only_double.scope = EditScope::kSelection;
  const std::size_t at = kText.find("def double");
  only_double.range = ByteRange{at, kText.size()};
  const Watched watched = run(only_double,
                              "def area(width, height):\n    return 7\n\n\n"
                              "def double(size):\n    # ... existing code ...\n",
                              "def double(size):\n    return 2 * size\n");
  ASSERT_TRUE(watched.result) << watched.result.error().message();
  EXPECT_THAT(watched.result->text, HasSubstr("return width * height"));
}

TEST(EditRepair, TheFirstAnswerIsTheDraftOfTheSecond) {
  const Watched watched = run(request(), kFaulty, kSound);
  ASSERT_TRUE(watched.result && watched.result->repair);
  const DecodeStatistics& statistics = watched.result->repair->statistics;
  EXPECT_LT(statistics.passes * 4, statistics.new_tokens);
  // All of the first conversation is in the cache, but for the token that opened the answer's end.
  EXPECT_GT(statistics.cached_prompt_tokens * 10, statistics.prompt_tokens * 5);
}

TEST(EditRepair, ASecondAnswerThatIsNoBetterIsNot) {
  for (const std::string& second : {kFaulty, kText, std::string("def x(:\n"), std::string()}) {
    const Watched watched = run(request(), kFaulty, second);
    ASSERT_TRUE(watched.result);
    EXPECT_EQ(watched.result->text, kFaulty) << second;
    EXPECT_EQ(reasons_of(watched.result->doubts), "the definition of 'double' is gone");
    ASSERT_TRUE(watched.result->repair);
    EXPECT_FALSE(watched.result->repair->taken);
    EXPECT_THAT(watched.replaced, IsEmpty());
  }
}

// Without the copy of area() the label would have no statement.
TEST(EditRepair, WhatIsTakenOffNeverBreaksTheSyntax) {
  const std::string area = "function area(a) {\n  return a * a;\n}\n";
  const std::string file = area + "\nfunction twice(a) {\n  return 2 * a;\n}\n";
  const std::string answer = "function twice(a) {\n  return a + a;\n}\n\nlabel:\n" + area;
  EditRequest part = request();
  part.document = *Document::make("file:///a.js", 1, file, "javascript");
  part.instruction = "add instead";
  part.scope = EditScope::kSelection;
  part.range = ByteRange{file.find("function twice"), file.size()};
  const Watched watched = run(part, answer, answer);
  ASSERT_TRUE(watched.result) << watched.result.error().message();
  EXPECT_EQ(watched.result->text, area + "\n" + answer);
  EXPECT_EQ(reasons_of(watched.result->doubts), "'area' is defined twice");
  EXPECT_THAT(watched.result->tidied, IsEmpty());
}

TEST(EditRepair, NobodyIsAskedTwiceWithoutNeed) {
  const Watched sound = run(request(), kSound, kFaulty);
  ASSERT_TRUE(sound.result);
  EXPECT_EQ(sound.result->text, kSound);
  EXPECT_FALSE(sound.result->repair);
  EditRequest once = request();
  once.repairs = false;
  const Watched faulty = run(once, kFaulty, kSound);
  ASSERT_TRUE(faulty.result);
  EXPECT_EQ(faulty.result->text, kFaulty);
  EXPECT_FALSE(faulty.result->repair);
  EXPECT_THAT(faulty.result->doubts, Not(IsEmpty()));
}

// Ctrl-C, or Escape: the first answer is there, but nobody said that it may be written to the file.
TEST(EditRepair, OneThatIsCancelledHasBeenCancelled) {
  std::stop_source stop;
  const auto is_second = [](const ScriptedPrompt& prompt) {
    return prompt.text.find("That is wrong: ") != std::string::npos;
  };
  const auto engine = scripted_engine([](const ScriptedPrompt&) { return kFaulty + "```"; },
                                      [&](const ScriptedPrompt& prompt, std::size_t written) {
                                        if (is_second(prompt) && written > 9) stop.request_stop();
                                      });
  const Result<EditResult> result = run_edit(*engine, request("ar"), {}, stop.get_token());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(result->text, kFaulty);
  EXPECT_THAT(result->doubts, Not(IsEmpty()));
}

TEST(EditRepair, AnEditThatWasCutShortIsNotRepaired) {
  EditRequest limited = request();
  limited.max_new_tokens = static_cast<int>(kFaulty.size()) - 5;
  const Watched watched = run(limited, kFaulty, kSound);
  ASSERT_TRUE(watched.result);
  EXPECT_EQ(watched.result->finish_reason, FinishReason::kLength);
  EXPECT_FALSE(watched.result->repair);
}

}  // namespace
}  // namespace redraft
