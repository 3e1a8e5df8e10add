// The changes of tests/cases/apply: a folder is one case. It has the file to change, at its path in
// the folder; `change.txt`, the answer of an assistant; and one of these:
//
//   expected       the whole file afterwards
//   expected.txt   "refused", or "left to the model", with a part of the reason behind a colon
//
// Variants of each case must keep what every change keeps, see the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "languages/languages.h"
#include "workspace/apply/change_place.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

struct ApplyCase {
  std::string name;
  fs::path file;  // within the folder of the case
  std::string text, change;
  std::optional<std::string> expected;
  std::string outcome;  // of expected.txt
};

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<ApplyCase> read_cases() {
  std::vector<ApplyCase> cases;
  for (const fs::directory_entry& folder : fs::directory_iterator(REDRAFT_APPLY_CASES)) {
    ApplyCase one;
    one.name = folder.path().filename().string();
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder)) {
      if (!file.is_regular_file()) continue;
      const std::string name = fs::relative(file, folder).string();
      if (name == "change.txt") {
        one.change = read(file);
      } else if (name == "expected") {
        one.expected = read(file);
      } else if (name == "expected.txt") {
        one.outcome = read(file);
      } else {
        one.file = name;
        one.text = read(file);
      }
    }
    cases.push_back(std::move(one));
  }
  std::ranges::sort(cases, {}, &ApplyCase::name);
  return cases;
}

const std::vector<ApplyCase>& cases() {
  static const std::vector<ApplyCase> all = read_cases();
  return all;
}

std::shared_ptr<const Document> document_of(const ApplyCase& one, const std::string& text) {
  return *Document::make("file:///folder/" + one.file.string(), 1, text,
                         std::string(language_of(one.file.string())));
}

struct Outcome {
  std::string text;    // the file afterwards
  std::string reason;  // "refused: ...", "left to the model: ..."; empty: it is certain
};

Outcome apply(const ApplyCase& one, const std::string& text, const std::string& change) {
  const auto document = document_of(one, text);
  const Result<ProposedChange> parsed = parse_change(change, changed_file(*document));
  if (!parsed) return {text, "refused: " + parsed.error().message()};
  const PlacedChange placed = place_change(document, *parsed);
  if (!placed.is_certain()) return {text, "left to the model: " + placed.doubt};
  return {apply_edits(text, placed.edits), {}};
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

bool parses(const ApplyCase& one, const std::string& text) {
  const auto document = document_of(one, text);
  const SyntaxTree* const tree = document->syntax();
  return tree == nullptr || !tree->has_errors();
}

class ApplyCases : public testing::TestWithParam<ApplyCase> {};

TEST_P(ApplyCases, EndsAsExpected) {
  const ApplyCase& one = GetParam();
  const Outcome outcome = apply(one, one.text, one.change);
  if (one.expected) {
    EXPECT_EQ(outcome.reason, "");
    EXPECT_EQ(outcome.text, *one.expected);
    return;
  }
  const std::string wanted = one.outcome.substr(0, one.outcome.find_last_not_of(" \n") + 1);
  const std::size_t colon = wanted.find(": ");
  EXPECT_THAT(outcome.reason, StartsWith(wanted.substr(0, colon)));
  if (colon != std::string::npos) {
    EXPECT_THAT(outcome.reason, HasSubstr(wanted.substr(colon + 2)));
  }
}

// What is certain once is certain again, and then there is nothing to change.
TEST_P(ApplyCases, ChangeNothingTheSecondTime) {
  const ApplyCase& one = GetParam();
  const Outcome first = apply(one, one.text, one.change);
  if (!first.reason.empty()) return;
  EXPECT_EQ(apply(one, first.text, one.change).text, first.text);
}

TEST_P(ApplyCases, KeepTheFileFreeOfErrors) {
  const ApplyCase& one = GetParam();
  const Outcome outcome = apply(one, one.text, one.change);
  if (parses(one, one.text)) {
    EXPECT_TRUE(parses(one, outcome.text)) << outcome.text;
  }
}

// A change does not depend on the line ends of the file or of itself.
TEST_P(ApplyCases, KeepLineEnds) {
  const ApplyCase& one = GetParam();
  if (one.text.find('\r') != std::string::npos) return;
  const Outcome plain = apply(one, one.text, one.change);
  const std::string file = replaced_all(one.text, "\n", "\r\n");
  const Outcome in_file = apply(one, file, one.change);
  EXPECT_EQ(in_file.reason.empty(), plain.reason.empty()) << in_file.reason;
  if (plain.reason.empty() && one.text.find('\n') != std::string::npos) {
    EXPECT_EQ(in_file.text, replaced_all(plain.text, "\n", "\r\n"));
  }
  const Outcome in_change = apply(one, one.text, replaced_all(one.change, "\n", "\r\n"));
  EXPECT_EQ(in_change.text, plain.text);
}

// An answer that was cut off anywhere is read or refused; what is certain then parses.
TEST_P(ApplyCases, SurviveACutOffChange) {
  const ApplyCase& one = GetParam();
  const bool is_sound = parses(one, one.text);
  const std::size_t step = std::max<std::size_t>(one.change.size() / 40, 1);
  for (std::size_t size = 0; size < one.change.size(); size += step) {
    std::size_t end = size;
    while (end > 0 && (static_cast<unsigned char>(one.change[end]) & 0xC0) == 0x80) --end;
    const Outcome outcome = apply(one, one.text, one.change.substr(0, end));
    if (is_sound) {
      EXPECT_TRUE(parses(one, outcome.text)) << one.change.substr(0, end);
    }
  }
}

// Prose around an answer is no part of it.
TEST_P(ApplyCases, LeaveProseOut) {
  const ApplyCase& one = GetParam();
  if (one.change.find("```") == std::string::npos) return;
  const Outcome plain = apply(one, one.text, one.change);
  const Outcome wordy = apply(
      one, one.text,
      "Sure, that is easily done.\n\n" + one.change + "\n\nTell me if anything else is wanted!\n");
  EXPECT_EQ(wordy.text, plain.text) << wordy.reason;
}

std::string name_of(const testing::TestParamInfo<ApplyCase>& info) {
  std::string name = info.param.name;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ApplyCases, testing::ValuesIn(cases()), name_of);

TEST(ApplyCorpus, HasCasesOfAllOutcomes) {
  const auto n_certain =
      std::ranges::count_if(cases(), [](const ApplyCase& one) { return one.expected.has_value(); });
  EXPECT_GE(cases().size(), 40U);
  EXPECT_GE(n_certain, 30);
  EXPECT_LT(n_certain, static_cast<std::ptrdiff_t>(cases().size()));
}

}  // namespace
}  // namespace redraft
