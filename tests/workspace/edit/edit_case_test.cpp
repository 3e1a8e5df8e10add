// Runs the cases of tests/cases/edits through a whole edit with a scripted model.
// REDRAFT_UPDATE_CASES=1 writes the outcome to the files: read the difference before committing it.
#include "tests/workspace/edit/edit_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/kit/scripted_engine.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(REDRAFT_EDIT_CASES)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The lines of the text after the edit, as the model sees lines, and the closing fence.
std::string answer_of(const EditCase& edit_case, const std::string& fence) {
  if (edit_case.answer) return *edit_case.answer;
  return text_for_model(**Document::make("after", 0, edit_case.after)) + fence;
}

Result<EditResult> run(const EditCase& edit_case, const char* decoder) {
  const auto engine = scripted_engine(
      [&](const ScriptedPrompt& prompt) { return answer_of(edit_case, prompt.fence); });
  EditRequest request;
  request.document = *Document::make("file:///case.py", 1, edit_case.before);
  request.instruction = edit_case.instruction;
  request.range = edit_case.range;
  request.scope = edit_case.range ? EditScope::kSelection : EditScope::kFile;
  request.model_renames = true;
  request.decoder = *parse_decoder_name(decoder);
  return run_edit(*engine, request, {}, {});
}

std::string report(const std::vector<Hunk>& hunks) {
  std::string text;
  for (const Hunk& hunk : hunks) {
    text += "hunk " + std::to_string(hunk.edit.range.begin) + "-" +
            std::to_string(hunk.edit.range.end) + "\n" + spelled(hunk.edit.new_text);
  }
  return text;
}

class EditCaseTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(EditCaseTest, GivesTheTextAndTheHunks) {
  Result<EditCase> read = read_edit_case(GetParam());
  ASSERT_TRUE(read) << read.error().message();
  for (const char* decoder : {"ar", "efficientedit:reuse-only", "redraft"}) {
    SCOPED_TRACE(decoder);
    Result<EditResult> result = run(*read, decoder);
    ASSERT_TRUE(result) << result.error().message();
    if (std::getenv("REDRAFT_UPDATE_CASES")) {
      read->after = result->text;
      read->hunks = result->hunks;
      write_edit_case(GetParam(), *read);
    }
    EXPECT_EQ(spelled(result->text), spelled(read->after));
    EXPECT_EQ(result->text, read->after);
    EXPECT_EQ(report(result->hunks), report(read->hunks));
    EXPECT_EQ(result->finish_reason, FinishReason::kStop);
    for (const Hunk& hunk : result->hunks) {
      const ByteRange range = hunk.edit.range;
      EXPECT_EQ(hunk.old_text, read->before.substr(range.begin, range.size()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EditCaseTest, testing::ValuesIn(case_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace redraft
