#include "bench/quality/quality_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/quality/quality_kit.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

// Ten tasks of a half, of which those before `passing` pass; `turned` is the other way round.
std::vector<QualityRecord> ten(Half half, int passing, bool turned = false) {
  std::vector<QualityRecord> records;
  for (int i = 0; i < 10; ++i) records.push_back(judged(id_in(half, i), (i < passing) != turned));
  return records;
}

TEST(QualityComparison, IsOfEachHalf) {
  std::vector<QualityRecord> before = ten(Half::kDev, 1), after = ten(Half::kDev, 1, true);
  const std::vector<QualityRecord> same = ten(Half::kTest, 5);
  before.insert(before.end(), same.begin(), same.end());
  after.insert(after.end(), same.begin(), same.end());
  const std::string text = quality_comparison(file_of(before), file_of(after));
  EXPECT_THAT(text, HasSubstr("The settings are the same.\n"));
  EXPECT_THAT(text, HasSubstr("**edits**, dev half\n\n| figure | n | before | after | difference | "
                              "better | worse | p |"));
  EXPECT_THAT(text, HasSubstr("| passed | 10 | 10 % | 90 % | +80.0 ["));
  EXPECT_THAT(text, HasSubstr("] | 9 | 1 | 0.021 |"));
  EXPECT_THAT(text, HasSubstr("**edits**, test half"));
  EXPECT_THAT(text, HasSubstr("| passed | 10 | 50 % | 50 % | +0.0 [+0.0, +0.0] | 0 | 0 | 1.000 |"));
}

TEST(QualityComparison, LeavesOutAndCountsWhatOneHasNot) {
  std::vector<QualityRecord> before = ten(Half::kDev, 5), after = ten(Half::kDev, 5);
  before.erase(before.begin());
  after.resize(8);
  after[7] = {.key = after[7].key, .set = "edits", .left_out = "too long"};
  const std::string text = quality_comparison(file_of(before), file_of(after));
  EXPECT_THAT(text, HasSubstr("edits: left out, because the other has not measured them: 3 of the "
                              "first, 1 of the second."));
  EXPECT_THAT(text, HasSubstr("| passed | 6 |"));
}

TEST(QualityComparison, SaysWhichSettingsDiffer) {
  const auto records = ten(Half::kDev, 5);
  const std::string text = quality_comparison(
      file_of(records, {{"target", "small"}, {"program", "1"}, {"command", "c"}}),
      file_of(records, {{"target", "large"}, {"program", "1"}, {"command", "d"}, {"head", "h"}}));
  EXPECT_THAT(text, HasSubstr("Different settings:\n\n- head: nothing, then \"h\"\n- target: "
                              "\"small\", then \"large\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("program")));
  EXPECT_THAT(text, Not(HasSubstr("command")));
}

TEST(QualityComparison, IsOfTheGatesThatBothHave) {
  const std::string id = id_in(Half::kDev, 0);
  const auto file = [&](double gate, int right) {
    return file_of({completion_record(id, {{.min_probability = 0.4, .shown = 9, .right = right},
                                           {.min_probability = gate, .shown = 9}})});
  };
  const std::string text = quality_comparison(file(0.1, 3), file(0.2, 5));
  EXPECT_THAT(text, HasSubstr("| gate 0.4: characters saved | 1 | 3 | 5 | +2 "));
  EXPECT_THAT(text, Not(HasSubstr("gate 0.1")));
  EXPECT_THAT(text, Not(HasSubstr("gate 0.2")));
}

TEST(QualityComparison, PairsNextEditsQuestionByQuestion) {
  const std::string id = id_in(Half::kDev, 0);
  const std::string text =
      quality_comparison(file_of({next_edit_record(id, kAfterHunks[0], Verdict::kNone),
                                  next_edit_record(id, kAfterCommit, Verdict::kWrong)}),
                         file_of({next_edit_record(id, kAfterHunks[0], Verdict::kExact),
                                  next_edit_record(id, kAfterCommit, Verdict::kNone)}));
  EXPECT_THAT(text, HasSubstr("| within a commit: exact | 1 | 0 % | 100 % | +100.0 | 1 | 0 |"));
  EXPECT_THAT(text, HasSubstr("| after the commit: proposed | 1 | 100 % | 0 % | -100.0 | 1 | 0 |"));
  EXPECT_THAT(text, HasSubstr("| within a commit: proposed | 1 | 0 % | 100 % | +100.0 | 1 up | 0 "
                              "down |"));
}

}  // namespace
}  // namespace redraft
