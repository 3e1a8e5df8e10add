// Renames that need no model: what changes and what does not, in each language.
#include "workspace/edit/edit_rename.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

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

// Whether the second hunk begins in the line in which the first one ends.
bool share_line(const std::string& text, const Hunk& first, const Hunk& second) {
  const std::size_t end = first.edit.range.end;
  return end > 0 && text[end - 1] != '\n' && text.find('\n', end) >= second.edit.range.begin;
}

// The lines that hunks change, which share one if there are several.
std::string lines_of(const std::string& text, std::span<const Hunk> hunks) {
  const std::size_t begin = hunks.front().edit.range.begin;
  std::size_t at = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  std::string lines;
  for (const Hunk& hunk : hunks) {
    lines += text.substr(at, hunk.edit.range.begin - at) + hunk.edit.new_text;
    at = hunk.edit.range.end;
  }
  if (!lines.ends_with('\n')) lines += text.substr(at, text.find('\n', at) - at);
  return lines;
}

std::string described(const RenameCase& sample, const std::optional<EditResult>& result) {
  if (!result) return "the model is asked\n";
  std::string all;
  const std::vector<Hunk>& hunks = result->hunks;
  for (std::size_t i = 0, next = 0; i < hunks.size(); i = next) {
    for (next = i + 1; next < hunks.size(); ++next) {
      if (!share_line(sample.text, hunks[next - 1], hunks[next])) break;
    }
    const auto begin = static_cast<std::ptrdiff_t>(hunks[i].edit.range.begin);
    auto line = 1 + std::count(sample.text.begin(), sample.text.begin() + begin, '\n');
    std::istringstream lines(lines_of(sample.text, std::span(hunks).subspan(i, next - i)));
    for (std::string text; std::getline(lines, text);)
      all += std::to_string(line++) + "| " + text + "\n";
    const auto is_here = [&](int edit) {
      return std::cmp_less_equal(i, edit) && std::cmp_less(edit, next);
    };
    for (const Doubt& doubt : result->doubts) {
      if (doubt.edits.size() < hunks.size() && std::ranges::any_of(doubt.edits, is_here))
        all += "?| " + doubt.reason + "\n";
    }
  }
  for (const Doubt& doubt : result->doubts) {
    if (doubt.edits.size() == hunks.size()) all += "?| all: " + doubt.reason + "\n";
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
