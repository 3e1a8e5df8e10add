// Renames that need no model: what changes and what does not, in each language.
#include "workspace/edit/edit_rename.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "tests/kit/case_files.h"
#include "workspace/documents/document.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// In tests/cases/renames the title is "INSTRUCTION", with ": WHY" behind it or without; what is
// given is a text with "^" for the cursor, if there is one; what comes of it are the lines that
// change ("3| text"), with the reason below those that are doubtful ("?| reason"), or "the model is
// asked".
struct RenameCase {
  explicit RenameCase(const FileCase& each)
      : instruction(each.title.substr(0, each.title.find(':'))), text(each.given) {
    const std::size_t mark = text.find('^');
    if (mark == std::string::npos) return;
    text.erase(mark, 1);
    cursor = mark;
  }

  std::string instruction, text;
  std::optional<std::size_t> cursor = {};
};

// The lines that the hunk alone makes of those that it changes; it may change a part of one.
std::string lines_of(const std::string& text, const Hunk& hunk) {
  const auto [begin, end] = hunk.edit.range;
  const std::size_t line = text.rfind('\n', begin - 1) + 1;
  std::string lines = text.substr(begin == 0 ? 0 : line, begin == 0 ? 0 : begin - line);
  lines += hunk.edit.new_text;
  if (!lines.ends_with('\n')) lines += text.substr(end, text.find('\n', end) - end);
  return lines;
}

std::string described(const RenameCase& sample, const std::optional<EditResult>& result) {
  if (!result) return "the model is asked\n";
  std::string all;
  for (const Hunk& hunk : result->hunks) {
    const auto begin = static_cast<std::ptrdiff_t>(hunk.edit.range.begin);
    auto line = 1 + std::count(sample.text.begin(), sample.text.begin() + begin, '\n');
    std::istringstream lines(lines_of(sample.text, hunk));
    for (std::string text; std::getline(lines, text);)
      all += std::to_string(line++) + "| " + text + "\n";
    for (const Doubt& doubt : result->doubts) {
      if (doubt.edits.size() < result->hunks.size() && std::ranges::count(doubt.edits, hunk.id) > 0)
        all += "?| " + doubt.reason + "\n";
    }
  }
  for (const Doubt& doubt : result->doubts) {
    if (doubt.edits.size() == result->hunks.size()) all += "?| all: " + doubt.reason + "\n";
  }
  return all;
}

EditRequest request_for(const RenameCase& sample, const std::string& language) {
  EditRequest request;
  request.document = *Document::make("file:///a", 1, sample.text, language);
  request.instruction = sample.instruction;
  if (sample.cursor) {
    request.range = {*sample.cursor, *sample.cursor};
    request.scope = EditScope::kAuto;
  }
  return request;
}

class InEachLanguage : public testing::TestWithParam<fs::path> {};

TEST_P(InEachLanguage, RenamesByScopes) {
  const std::string language = GetParam().stem();
  expect_cases(GetParam(), [&](const FileCase& each) {
    const RenameCase sample(each);
    const EditRequest request = request_for(sample, language);
    return described(sample, carry_out_without_model(request, *decide_without_model(request)));
  });
}

INSTANTIATE_TEST_SUITE_P(Renames, InEachLanguage,
                         testing::ValuesIn(case_files(REDRAFT_RENAME_CASES)),
                         [](const auto& file) { return file.param.stem().string(); });

std::string refusal_of(const std::string& instruction, const std::string& text,
                       const std::string& language) {
  FileCase each;
  each.title = instruction;
  each.given = text;
  const EditRequest request = request_for(RenameCase(each), language);
  const Result<void> checked = check_new_names(request);
  if (checked) return "";
  EXPECT_FALSE(decide_without_model(request)) << instruction;
  return checked.error().message();
}

TEST(Renames, RefuseAKeywordOfTheLanguage) {
  EXPECT_EQ(refusal_of("rename count to class", "count = 1\n", "python"),
            "cannot rename 'count' to 'class': that is a keyword of python; choose another name");
  EXPECT_NE(refusal_of("rename count to fn", "fn f() { let count = 1; }\n", "rust"), "");
  EXPECT_NE(refusal_of("rename count to delete", "let count = 1\n", "javascript"), "");
}

TEST(Renames, AllowWhatIsNoKeywordThere) {
  EXPECT_EQ(refusal_of("rename count to fn", "count = 1\n", "python"), "");
  EXPECT_EQ(refusal_of("rename count to match", "count = 1\n", "python"),
            "");  // in some places only
  // What is not in the file may be prose.
  EXPECT_EQ(refusal_of("rename count to class", "other = 1\n", "python"), "");
  EXPECT_EQ(refusal_of("rename count to class", "other 1\n", "plaintext"), "");
}

TEST(Renames, AllowAKeywordAsAMemberWhereTheLanguageDoes) {
  const std::string text = "class Store { remove() {} }\nfunction f() {}\n";
  EXPECT_EQ(refusal_of("rename remove to delete", text, "javascript"), "");
  EXPECT_NE(refusal_of("rename f to delete", text, "javascript"), "");
  EXPECT_NE(refusal_of("rename remove to delete", "class Store { void remove() {} };\n", "cpp"),
            "");
}

}  // namespace
}  // namespace redraft
