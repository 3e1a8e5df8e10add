#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kit/scripted_engine.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Document> document(std::string text, std::string uri = "file:///a.py") {
  return *Document::make(std::move(uri), 1, std::move(text), "python");
}

EditRequest request(std::string text, const char* decoder = "redraft") {
  EditRequest request;
  request.document = document(std::move(text));
  request.instruction = "change it";
  request.decoder = *parse_decoder_name(decoder);
  return request;
}

Result<EditResult> edit_to(const EditRequest& request, std::string answer,
                           const EditObserver& observer = {}) {
  const auto engine = scripted_engine([&](const ScriptedPrompt&) { return answer; });
  return run_edit(*engine, request, observer, {});
}

const std::string kFunctions =
    "def area(width, height):\n    return width * height\n\n\n"
    "def perimeter(width, height):\n    return 2 * (width + height)\n\n\n"
    "def diagonal(width, height):\n    return (width ** 2 + height ** 2) ** 0.5\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(EditSession, AnUnchangedAnswerHasNoHunks) {
  const Result<EditResult> result = edit_to(request(kFunctions), kFunctions + "```");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->text, kFunctions);
  EXPECT_TRUE(result->hunks.empty());
  EXPECT_EQ(result->finish_reason, FinishReason::kStop);
}

TEST(EditSession, EveryDecoderGivesTheSameEdit) {
  const std::string after =
      replaced(kFunctions, "return width * height", "return abs(width * height)");
  for (const char* decoder : {"ar", "efficientedit:reuse-only", "redraft"}) {
    const Result<EditResult> result = edit_to(request(kFunctions, decoder), after + "```\n\nDone!");
    ASSERT_TRUE(result) << decoder << ": " << result.error().message();
    EXPECT_EQ(result->text, after) << decoder;
    ASSERT_EQ(result->hunks.size(), 1) << decoder;
    EXPECT_EQ(result->hunks[0].old_text, "    return width * height\n");
    EXPECT_EQ(result->hunks[0].edit.new_text, "    return abs(width * height)\n");
    EXPECT_EQ(result->output, after + "```\n");
  }
}

TEST(EditSession, HunksComeInFileOrderWhileTheModelStillWrites) {
  std::string after = replaced(kFunctions, "return width * height", "return abs(width * height)");
  after = replaced(after, "2 * (width", "2.0 * (width");
  after = replaced(after, "** 0.5", "** (1 / 2)");
  std::size_t written = 0;  // bytes of the answer at the time of a hunk
  const auto engine = scripted_engine([&](const ScriptedPrompt&) { return after + "```"; });
  std::vector<std::size_t> seen_after;
  std::vector<Hunk> seen;
  double fraction = 0;
  int read = 0;  // reports before the first token was written
  LinesPassed lines;
  const EditObserver observer{.on_hunk =
                                  [&](const Hunk& hunk) {
                                    seen.push_back(hunk);
                                    seen_after.push_back(written);
                                  },
                              .on_progress =
                                  [&](const EditProgress& progress) {
                                    EXPECT_GE(progress.fraction, fraction);
                                    EXPECT_LE(progress.fraction, 1);
                                    read += progress.reading() ? 1 : 0;
                                    fraction = progress.fraction;
                                    ASSERT_TRUE(progress.lines);
                                    EXPECT_GE(progress.lines->passed, lines.passed);
                                    lines = *progress.lines;
                                    written = progress.statistics.new_tokens;
                                  }};
  const Result<EditResult> result = run_edit(*engine, request(kFunctions, "ar"), observer, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->text, after);
  ASSERT_EQ(seen.size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(seen[i].id, i);
    EXPECT_EQ(seen[i].edit, result->hunks[i].edit);
  }
  // Each of the first two comes as soon as the lines after it are the original's again.
  EXPECT_LE(seen_after[0], after.find("return 2.0"));
  EXPECT_LE(seen_after[1], after.find("return (width"));
  EXPECT_GT(fraction, 0.8);
  EXPECT_GT(read, 0);
  EXPECT_EQ(lines.of, std::ranges::count(kFunctions, '\n'));
  EXPECT_GT(lines.passed, lines.of / 2);
}

TEST(EditSession, ACancelledEditKeepsTheHunksThatWereFinalAndTheRestOfTheFile) {
  const std::string after =
      replaced(kFunctions, "return width * height", "return abs(width * height)");
  std::stop_source stop;
  const auto engine = scripted_engine([&](const ScriptedPrompt&) { return after + "```"; },
                                      [&](const ScriptedPrompt&, std::size_t written) {
                                        if (written > after.find("diagonal")) stop.request_stop();
                                      });
  const Result<EditResult> result =
      run_edit(*engine, request(kFunctions, "ar"), {}, stop.get_token());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(result->text, after);  // the only hunk was final, and nothing after it is lost
  EXPECT_LT(result->output.size(), after.size());
}

TEST(EditSession, OneCancelledBeforeItBeginsChangesNothing) {
  std::stop_source stop;
  stop.request_stop();
  const auto engine = scripted_engine([](const ScriptedPrompt&) { return "other\n```"; });
  const Result<EditResult> result = run_edit(*engine, request(kFunctions), {}, stop.get_token());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(result->text, kFunctions);
}

TEST(EditSession, TheTokenLimitNeverDeletesTheRest) {
  EditRequest limited = request(kFunctions);
  limited.max_new_tokens = 60;
  const Result<EditResult> result = edit_to(limited, replaced(kFunctions, "width", "w") + "```");
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->finish_reason, FinishReason::kLength);
  EXPECT_EQ(result->output.size(), 60);
  EXPECT_THAT(result->text, HasSubstr("def diagonal"));
  EXPECT_EQ(std::count(result->text.begin(), result->text.end(), '\n'),
            std::count(kFunctions.begin(), kFunctions.end(), '\n'));
}

TEST(EditSession, RefusesWhatItCannotDo) {
  const auto error = [](const EditRequest& request, int context_length = 1 << 16) {
    const auto engine =
        scripted_engine([](const ScriptedPrompt&) { return "```"; }, {}, context_length);
    const Result<EditResult> result = run_edit(*engine, request, {}, {});
    return result ? "" : result.error().message();
  };
  EditRequest blank = request("x\n");
  blank.instruction = " \n\t";
  EXPECT_THAT(error(blank), HasSubstr("the instruction is empty"));
  EditRequest outside = request("x\n");
  outside.range = ByteRange{1, 3};
  EXPECT_THAT(error(outside), HasSubstr("outside the text, which has 2 bytes"));
  EditRequest symbol = request("x\n");
  symbol.scope = EditScope::kSymbol;
  EXPECT_THAT(error(symbol), HasSubstr("needs a range"));
  EXPECT_THAT(error(request(kFunctions), 512),
              testing::AllOf(HasSubstr("too long to edit at once: it needs "),
                             HasSubstr("the context holds 512")));
  EXPECT_EQ(error(request("x\n"), 2048), "");
  EXPECT_EQ(error(EditRequest{}), "an edit needs a document");
}

TEST(EditSession, BytesThatAreNoTextBecomeReplacementCharacters) {
  const Result<EditResult> result =
      edit_to(request("a = 1\n"), std::string("a = '\xC3(\0'\n```", 13));
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->text, "a = '\xEF\xBF\xBD(\xEF\xBF\xBD'\n");
}

TEST(EditSession, ASecondInstructionReusesTheFilesTokens) {
  const auto engine = scripted_engine([](const ScriptedPrompt&) { return kFunctions + "```"; });
  EditRequest first = request(kFunctions);
  ASSERT_TRUE(run_edit(*engine, first, {}, {}));
  EditRequest second = request(kFunctions);
  second.instruction = "another thing";
  const Result<EditResult> result = run_edit(*engine, second, {}, {});
  ASSERT_TRUE(result);
  EXPECT_GT(result->statistics.cached_prompt_tokens, static_cast<int>(kFunctions.size()));
}

TEST(EditSession, AnUnchangedFileIsOneDraftAfterAnother) {
  const auto engine = scripted_engine([](const ScriptedPrompt&) { return kFunctions + "```"; });
  const Result<EditResult> result =
      run_edit(*engine, request(kFunctions, "efficientedit:reuse-only"), {}, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->statistics.drafted_by_origin, result->statistics.accepted_by_origin);
  EXPECT_LT(result->statistics.passes, result->statistics.new_tokens);
  EXPECT_EQ(result->output, kFunctions + "```");
}

}  // namespace
}  // namespace redraft
