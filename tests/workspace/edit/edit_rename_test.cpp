// Renames that need no model: what changes and what does not, in each language.
#include "workspace/edit/edit_rename.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "workspace/documents/document.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// In tests/cases/renames: "=== INSTRUCTION", with ": WHY" behind it or without, then the text with
// "^" for the cursor, if there is one; below it "--->" and the lines that change ("3| text"), with
// the reason below those that are doubtful ("?| reason"), or "the model is asked".
// REDRAFT_UPDATE_CASES=1 writes what is below "--->" anew.
struct RenameCase {
  std::string title, instruction, text = {}, marked = {}, expected = {};
  std::optional<std::size_t> cursor = {};
};

std::vector<RenameCase> cases_in(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<RenameCase> cases;
  bool is_expected = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({.title = line.substr(4), .instruction = line.substr(4, line.find(':') - 4)});
      is_expected = false;
    } else if (line == "--->") {
      is_expected = true;
    } else {
      (is_expected ? cases.back().expected : cases.back().marked) += line + "\n";
    }
  }
  for (RenameCase& each : cases) {
    each.text = each.marked;
    const std::size_t cursor = each.text.find('^');
    if (cursor == std::string::npos) continue;
    each.text.erase(cursor, 1);
    each.cursor = cursor;
  }
  return cases;
}

std::string described(const RenameCase& sample, const std::optional<EditResult>& result) {
  if (!result) return "the model is asked\n";
  std::string all;
  for (const Hunk& hunk : result->hunks) {
    const auto begin = static_cast<std::ptrdiff_t>(hunk.edit.range.begin);
    auto line = 1 + std::count(sample.text.begin(), sample.text.begin() + begin, '\n');
    std::istringstream lines(hunk.edit.new_text);
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
  std::vector<RenameCase> cases = cases_in(GetParam());
  std::string anew;
  for (const RenameCase& sample : cases) {
    const std::string language = GetParam().stem();
    const std::string found = described(sample, carry_out_rename(request_for(sample, language)));
    anew += "=== " + sample.title + "\n" + sample.marked + "--->\n" + found;
    if (std::getenv("REDRAFT_UPDATE_CASES") != nullptr) continue;
    EXPECT_EQ(found, sample.expected) << language << ": " << sample.title;
  }
  if (std::getenv("REDRAFT_UPDATE_CASES") != nullptr)
    std::ofstream(GetParam(), std::ios::binary) << anew;
}

std::vector<fs::path> case_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(REDRAFT_RENAME_CASES))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

INSTANTIATE_TEST_SUITE_P(Renames, InEachLanguage, testing::ValuesIn(case_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace redraft
