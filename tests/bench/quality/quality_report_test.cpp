#include "bench/quality/quality_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/quality/quality_kit.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::Not;

const nlohmann::ordered_json kSettings = {{"target", "the-model"},
                                          {"instructions", "avx2"},
                                          {"command", "redraft bench quality --data e.jsonl"}};

std::string report(const std::vector<QualityRecord>& records) {
  return quality_report(kSettings, pointers_to(records));
}

TEST(QualityReport, NamesModelMachineCommandAndTasks) {
  EXPECT_THAT(report({judged(id_in(Half::kDev, 0), true),
                      {.key = {Measure::kEdits, "x", ""}, .set = "edits", .left_out = "why"}}),
              HasSubstr("**edits**: 1 tasks (1 left out); the-model; avx2; `redraft bench quality "
                        "--data e.jsonl`\n\n| tasks | half | n | passed |"));
}

TEST(QualityReport, HasALineForEachHalfThatWasRun) {
  std::vector<QualityRecord> records;
  for (int i = 0; i < 10; ++i) records.push_back(judged(id_in(Half::kDev, i), i < 8));
  const std::string dev = "| edits | dev | 10 | 8 of 10, 80 % [49, 94] |";
  EXPECT_THAT(report(records), HasSubstr(dev));
  EXPECT_THAT(report(records), Not(HasSubstr("| test |")));
  for (int i = 0; i < 4; ++i) records.push_back(judged(id_in(Half::kTest, i), false));
  EXPECT_THAT(report(records), HasSubstr(dev)) << "the other half changes nothing of it";
  EXPECT_THAT(report(records), HasSubstr("| edits | test | 4 | 0 of 4, 0 % [0, 49] |"));
}

TEST(QualityReport, HasALineForEachSetAndOneForAll) {
  const std::string a = id_in(Half::kDev, 0), b = id_in(Half::kDev, 1);
  const std::string text = report({edit_record(a, {.similarity = 0.25}, "first"),
                                   edit_record(b, {.similarity = 0.75}, "second")});
  EXPECT_THAT(text, HasSubstr("| first | dev | 1 |"));
  EXPECT_THAT(text, HasSubstr("| second | dev | 1 |"));
  EXPECT_THAT(text, HasSubstr("| all | dev | 2 | - | - | - | 0.500 [0.250, 0.750] |"));
}

TEST(QualityReport, HasALineForEachGateAndQuestion) {
  const std::string id = id_in(Half::kTest, 0);
  const std::string text =
      report({completion_record(id, {{.min_probability = 0.4, .shown = 12, .right = 5}}),
              next_edit_record(id, kAfterHunks[0], Verdict::kExact),
              next_edit_record(id, kAfterHunks[1], Verdict::kNone),
              next_edit_record(id, kAfterCommit, Verdict::kNone)});
  EXPECT_THAT(text,
              HasSubstr("| places | gate 0.4 | test | 1 | 1 of 1, 100 % [21, 100] | 0 of 1, 0 % "
                        "[0, 79] | 0 of 1, 0 % [0, 79] | 5 | 7 |"));
  EXPECT_THAT(text, HasSubstr("**next-edits**: 1 tasks, 3 questions;"));
  EXPECT_THAT(text, HasSubstr("| commits | within a commit | test | 2 | 1 of 2, 50 %"));
  EXPECT_THAT(text, HasSubstr("| commits | after the commit | test | 1 | 0 of 1, 0 %"));
  EXPECT_THAT(text, Not(HasSubstr("after 3 hunks"))) << "nothing of it was asked";
}

TEST(QualityReport, ReadsAnySettings) {
  EXPECT_THAT(quality_report({{"target", 3}}, pointers_to({judged("a", true)})),
              HasSubstr("**edits**"));
}

}  // namespace
}  // namespace redraft
