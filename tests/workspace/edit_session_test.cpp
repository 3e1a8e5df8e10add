#include "workspace/edit_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "tests/kit/scripted_engine.h"

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

}  // namespace
}  // namespace redraft
