#include "bench/quality/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/bench/quality/quality_kit.h"

namespace redraft {
namespace {

Figure figure(Measure measure, const std::string& name, const std::string& group = {},
              const std::set<double>& gates = {0.4}) {
  for (const FigureGroup& each : figure_groups(measure, gates)) {
    if (!group.empty() && each.name != group) continue;
    for (const Figure& found : each.figures) {
      if (found.name == name) return found;
    }
  }
  throw std::logic_error("no such figure: " + name);
}

Estimate estimated(const Figure& of, const std::vector<QualityRecord>& records) {
  return *estimate(of, pointers_to(records));
}

TEST(Figures, OfEditsAreSharesRatiosAndMeans) {
  EditQuality all{.changed_lines = 4,
                  .changed_lines_in_region = 4,
                  .expected_hunks = 2,
                  .exact_hunks = 2,
                  .made_hunks = 2,
                  .similarity = 1,
                  .similarity_before = 0.5};
  all.passed = true;
  EditQuality half{.changed_lines = 8,
                   .changed_lines_in_region = 2,
                   .expected_hunks = 4,
                   .exact_hunks = 1,
                   .made_hunks = 2,
                   .similarity = 0.5,
                   .similarity_before = 0.5,
                   .breaks_syntax = true};
  const EditQuality beyond{.changed_lines = 2};  // all of its changes are outside of the region
  const std::vector<QualityRecord> records = {edit_record("a", all), edit_record("b", half),
                                              edit_record("c", beyond)};
  const auto of = [&](const char* name) {
    return estimated(figure(Measure::kEdits, name), records);
  };
  EXPECT_EQ(of("passed").n, 1) << "only where tests could tell";
  EXPECT_EQ(of("all exact").n, 2);
  EXPECT_DOUBLE_EQ(of("all exact").value, 0.5);
  EXPECT_DOUBLE_EQ(of("exact hunks").value, 3.0 / 6);
  EXPECT_DOUBLE_EQ(of("similarity").value, 1.5 / 3);
  EXPECT_DOUBLE_EQ(of("changed lines in the region").value, 6.0 / 14);
  EXPECT_DOUBLE_EQ(of("breaks syntax").value, 1.0 / 3);
}

TEST(Figures, OfCompletionsAreOfEachGate) {
  const std::vector<QualityRecord> records = {
      completion_record("a", {{.min_probability = 0, .shown = 10, .right = 4},
                              {.min_probability = 0.4, .shown = 4, .right = 4}}),
      completion_record("b", {{.min_probability = 0, .shown = 6, .right = 6, .whole = true},
                              {.min_probability = 0.4}})};
  const std::set<double> gates = gates_of(pointers_to(records));
  EXPECT_THAT(gates, testing::ElementsAre(0, 0.4));
  const auto of = [&](const char* gate, const char* name) {
    return estimated(figure(Measure::kCompletion, name, gate, gates), records).value;
  };
  EXPECT_DOUBLE_EQ(of("gate 0", "shown"), 1);
  EXPECT_DOUBLE_EQ(of("gate 0", "all right"), 0.5);
  EXPECT_DOUBLE_EQ(of("gate 0", "whole"), 0.5);
  EXPECT_DOUBLE_EQ(of("gate 0", "characters saved"), 10);
  EXPECT_DOUBLE_EQ(of("gate 0", "wrong characters"), 6);
  EXPECT_DOUBLE_EQ(of("gate 0.4", "shown"), 0.5);
  EXPECT_DOUBLE_EQ(of("gate 0.4", "all right"), 1) << "of those that are shown";
  EXPECT_DOUBLE_EQ(of("gate 0.4", "wrong characters"), 0);
}

TEST(Figures, OfNextEditsAreOfEachQuestion) {
  const std::vector<QualityRecord> records = {
      next_edit_record("a", kAfterHunks[0], Verdict::kExact),
      next_edit_record("a", kAfterHunks[1], Verdict::kWrong, /*reverses=*/true),
      next_edit_record("b", kAfterHunks[0], Verdict::kLines),
      next_edit_record("b", kAfterCommit, Verdict::kNone)};
  const auto of = [&](const char* group, const char* name) {
    return estimated(figure(Measure::kNextEdits, name, group), records);
  };
  EXPECT_EQ(of("within a commit", "proposed").n, 3);
  EXPECT_DOUBLE_EQ(of("within a commit", "proposed").counted, 3);
  EXPECT_DOUBLE_EQ(of("within a commit", "exact").counted, 1);
  EXPECT_DOUBLE_EQ(of("within a commit", "by the line").counted, 1);
  EXPECT_DOUBLE_EQ(of("within a commit", "wrong").counted, 1);
  EXPECT_DOUBLE_EQ(of("within a commit", "reversing").counted, 1);
  EXPECT_EQ(of("after 1 hunk", "proposed").n, 2);
  EXPECT_DOUBLE_EQ(of("after the commit", "proposed").counted, 0);
}

TEST(Figures, HaveWilsonsIntervalOrABootstrappedOne) {
  std::vector<QualityRecord> records;
  for (int i = 0; i < 10; ++i) records.push_back(judged("t" + std::to_string(i), i < 8));
  const Estimate share = estimated(figure(Measure::kEdits, "passed"), records);
  EXPECT_NEAR(share.interval->low, 0.4902, 1e-4);
  const std::vector<QualityRecord> two = {edit_record("a", {.similarity = 0}),
                                          edit_record("b", {.similarity = 1})};
  const Estimate mean = estimated(figure(Measure::kEdits, "similarity"), two);
  EXPECT_DOUBLE_EQ(mean.interval->low, 0);
  EXPECT_DOUBLE_EQ(mean.interval->high, 1);
  EXPECT_FALSE(estimated(figure(Measure::kEdits, "similarity"), {two[0]}).interval);
}

TEST(Figures, DrawWhatBelongsToATaskTogether) {
  // As single measurements a resample could have only the first of "a"'s two.
  std::vector<QualityRecord> records = {
      completion_record("a", {{.min_probability = 0.4, .shown = 1, .right = 1}}),
      completion_record("a", {{.min_probability = 0.4, .shown = 9, .right = 9}})};
  records[1].key.question = "another";
  records.push_back(completion_record("b", {{.min_probability = 0.4, .shown = 10, .right = 10}}));
  const Estimate saved = estimated(figure(Measure::kCompletion, "characters saved"), records);
  EXPECT_DOUBLE_EQ(saved.value, 20);
  EXPECT_DOUBLE_EQ(saved.interval->low, 20);
  EXPECT_DOUBLE_EQ(saved.interval->high, 20);
}

Difference compared(const Figure& of, const std::vector<QualityRecord>& before,
                    const std::vector<QualityRecord>& after) {
  std::vector<RecordPair> pairs;
  for (std::size_t i = 0; i < before.size(); ++i) pairs.push_back({&before[i], &after[i]});
  return *difference(of, pairs);
}

TEST(Figures, OfTwoRunsAreComparedTaskByTask) {
  std::vector<QualityRecord> before, after;
  for (int i = 0; i < 10; ++i) {  // nine that did not pass now do, one the other way round
    before.push_back(judged("t" + std::to_string(i), i == 0));
    after.push_back(judged("t" + std::to_string(i), i != 0));
  }
  const Difference found = compared(figure(Measure::kEdits, "passed"), before, after);
  EXPECT_EQ(found.n, 10);
  EXPECT_EQ(found.better, 9);
  EXPECT_EQ(found.worse, 1);
  EXPECT_DOUBLE_EQ(found.before, 0.1);
  EXPECT_DOUBLE_EQ(found.after, 0.9);
  EXPECT_NEAR(*found.p, 22.0 / 1024, 1e-12);
  EXPECT_GT(found.interval->low, 0);
  EXPECT_DOUBLE_EQ(found.interval->high, 1);
}

// The tasks differ much, the two runs by 0.1 on each: paired, that is certain.
TEST(Figures, OfTwoRunsHaveThePairedInterval) {
  std::vector<QualityRecord> before, after;
  for (int i = 0; i < 8; ++i) {
    before.push_back(edit_record("t" + std::to_string(i), {.similarity = i / 10.0}));
    after.push_back(edit_record("t" + std::to_string(i), {.similarity = (i + 1) / 10.0}));
  }
  const Difference found = compared(figure(Measure::kEdits, "similarity"), before, after);
  EXPECT_NEAR(found.interval->low, 0.1, 1e-12);
  EXPECT_NEAR(found.interval->high, 0.1, 1e-12);
  EXPECT_FALSE(found.p);
}

TEST(Figures, OfCountsAreComparedByWhatTheyAreOf) {
  // One of one became two of four; of the other nothing can be said.
  const Difference found =
      compared(figure(Measure::kEdits, "exact hunks"),
               {edit_record("a", {.expected_hunks = 1, .exact_hunks = 1}), edit_record("b", {})},
               {edit_record("a", {.expected_hunks = 4, .exact_hunks = 2}),
                edit_record("b", {.expected_hunks = 1, .exact_hunks = 1})});
  EXPECT_EQ(found.better, 0);
  EXPECT_EQ(found.worse, 1);
}

TEST(Figures, OfSeveralQuestionsATaskHaveNoTest) {
  std::vector<QualityRecord> before = {judged("a", false), judged("a", false), judged("b", false)};
  std::vector<QualityRecord> after = {judged("a", true), judged("a", true), judged("b", true)};
  before[1].key.question = after[1].key.question = "another";
  const Difference found = compared(figure(Measure::kEdits, "passed"), before, after);
  EXPECT_EQ(found.better, 3);
  EXPECT_FALSE(found.p);
}

TEST(Figures, ThatShouldBeLowGetBetterByFalling) {
  const Difference found =
      compared(figure(Measure::kEdits, "breaks syntax"),
               {edit_record("a", {.breaks_syntax = true})}, {edit_record("a", {})});
  EXPECT_EQ(found.better, 1);
  EXPECT_EQ(found.worse, 0);
}

}  // namespace
}  // namespace redraft
