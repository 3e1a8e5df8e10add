#include "bench/task_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/summary.h"
#include "tests/bench/bench_kit.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const char* const kBefore =
    "def first(items):\n    total = 0\n    for item in items:\n        total += item\n"
    "    return total\n\n\ndef second(items):\n    return len(items)\n";
const char* const kAfter =
    "def first(items):\n    total = 0\n    for item in items:\n        total += 2 * item\n"
    "    return total\n\n\ndef second(items):\n    return len(items)\n";

std::vector<BenchTask> some_tasks() {
  return {edit_task("same", kBefore, kBefore), edit_task("one", kBefore, kAfter),
          edit_task("other", "a = 1\n", "print('nothing of it')\n")};
}

TEST(RunTasks, AReplayWritesTheReferenceAndCountsItsPasses) {
  const RunReport report = run_plan(replay_plan(some_tasks(), {"ar", "redraft"}));
  ASSERT_THAT(report.records, SizeIs(6));
  EXPECT_FALSE(report.interrupted);
  const auto length = static_cast<int>(std::string(kBefore).size()) + 3;  // with the fence
  const TaskRecord& plain = report.records[0];
  EXPECT_EQ(plain.key, (RecordKey{"same", 1, "ar"}));
  EXPECT_EQ(plain.statistics.new_tokens, length);
  EXPECT_EQ(plain.statistics.passes, length + 1);
  EXPECT_EQ(plain.statistics.rows, length + 1);
  EXPECT_NEAR(plain.priced_seconds, 0.010 * (length + 1), 1e-9);
  EXPECT_DOUBLE_EQ(plain.seconds, plain.priced_seconds);
  EXPECT_EQ(plain.finish_reason, "stop");
  EXPECT_DOUBLE_EQ(plain.overlap.value(), 1);
  for (const TaskRecord& record : report.records) {
    EXPECT_TRUE(record.identical) << record.key.id;
    EXPECT_EQ(record.tokens.empty(), record.key.decoder != "ar");
  }
  const TaskRecord& copied = report.records[1];
  EXPECT_EQ(copied.key.decoder, "redraft");
  EXPECT_LT(copied.statistics.passes, length / 2);
  EXPECT_LT(copied.priced_seconds, plain.priced_seconds);
  EXPECT_LT(report.records[4].overlap.value(), 0.5);
}

TEST(RunTasks, PassesArePricedByTheirRows) {
  RunPlan plan = replay_plan(some_tasks(), {"ar", "redraft"});
  plan.curve = CostCurve();  // every pass costs a second
  for (const TaskRecord& record : run_plan(plan).records)
    EXPECT_DOUBLE_EQ(record.priced_seconds, record.statistics.passes);
  plan.curve = CostCurve({{1, 0.5}, {2, 1.0}});  // every row costs half of one
  for (const TaskRecord& record : run_plan(plan).records)
    EXPECT_NEAR(record.priced_seconds, 0.5 * record.statistics.rows, 1e-9);
}

// A pass costs a second for every token below it: prompt and output, but for the last token.
TEST(RunTasks, PassesArePricedByTheirContext) {
  RunPlan plan = replay_plan({edit_task("one", kBefore, kAfter)}, {"ar", "redraft"});
  plan.curve = CostCurve({{1, 1e-9, 0}, {1, 1000, 1000}, {100, 1e-9, 0}, {100, 1000, 1000}});
  const RunReport report = run_plan(plan);
  const DecodeStatistics& plain = report.records[0].statistics;
  const double prompt = plain.prompt_tokens - 1;
  const double tokens = plain.new_tokens;
  EXPECT_NEAR(report.records[0].priced_seconds, (tokens + 1) * prompt + tokens * (tokens + 1) / 2,
              1);
  const TaskRecord& copied = report.records[1];
  EXPECT_GT(copied.priced_seconds, copied.statistics.passes * (prompt + tokens / 4));
  EXPECT_LT(copied.priced_seconds, copied.statistics.passes * (prompt + tokens));
}

// The chunks of a long draft are forward passes of the target, and together one pass.
TEST(RunTasks, PassesAreCountedByTheirRows) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "line " + std::to_string(i) + " of the file\n";
  const RunReport report =
      run_plan(replay_plan({edit_task("a", text, text)}, {"ar", "efficientedit:reuse-only"}));
  ASSERT_THAT(report.records, SizeIs(2));
  for (const TaskRecord& record : report.records) {
    int passes = 0;
    int rows = 0;
    for (std::size_t i = 0; i < record.passes_by_rows.size(); i += 2) {
      passes += record.passes_by_rows[i + 1];
      rows += record.passes_by_rows[i] * record.passes_by_rows[i + 1];
    }
    EXPECT_EQ(passes, record.statistics.passes);
    EXPECT_EQ(rows, record.statistics.rows);
  }
  EXPECT_EQ(report.records[0].statistics.forwards, report.records[0].statistics.passes);
  EXPECT_GT(report.records[1].statistics.forwards, 2 * report.records[1].statistics.passes);
}

// A replay writes the reference, so how alike it is says nothing.
TEST(RunTasks, OutputsAreComparedWithTheReference) {
  BenchTask task = edit_task("a", "x = 1\n", "x = 2\n");
  task.category = "c";
  const RunPlan plan = replay_plan({task}, {"ar", "pld"});
  EXPECT_EQ(run_plan(plan).records[0].edit_similarity, std::nullopt);
  const ReplayEngine replay = replay_engine();
  RunPlan real = plan;  // without a script the model writes what it will
  real.step.replay = false;
  real.step.max_new_tokens = 4;
  const auto report = run_tasks(*replay.engine, real, {}, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message();
  for (const TaskRecord& record : report->records) {
    ASSERT_TRUE(record.edit_similarity);
    EXPECT_LT(*record.edit_similarity, 1);
    EXPECT_EQ(record.category, "c");
  }
}

TEST(RunTasks, ADecoderThatCannotRunIsLeftOutIfThatIsAskedFor) {
  RunPlan plan = replay_plan({edit_task("a", "x\n", "y\n"), edit_task("b", "x\n", "z\n")},
                             {"ar", "selfspec", "pld"});  // a script has no layers to leave out
  const ReplayEngine replay = replay_engine();
  const auto failed = run_tasks(*replay.engine, plan, replay.models, {}, {}, {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("selfspec"));
  plan.leave_out_failing = true;
  const auto report = run_tasks(*replay.engine, plan, replay.models, {}, {}, {});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_THAT(report->records, SizeIs(4));
  ASSERT_THAT(report->skipped, SizeIs(1));
  EXPECT_EQ(report->skipped[0].id, "selfspec");
  EXPECT_THAT(report->skipped[0].reason, HasSubstr("decoder left out"));
}

TEST(RunTasks, AScriptedDraftModelIsRightAsOftenAsItSays) {
  const RunPlan plan = replay_plan({edit_task("new", "x\n", std::string(kAfter) + kBefore)},
                                   {"ar", "efficientedit"});
  const auto accepted = [&](int agreement) {
    const RunReport report = run_plan(plan, agreement);
    EXPECT_TRUE(report.records[1].identical);
    const DecodeStatistics& statistics = report.records[1].statistics;
    const auto model = static_cast<std::size_t>(DraftOrigin::kModel);
    return static_cast<double>(statistics.accepted_by_origin[model]) /
           static_cast<double>(statistics.drafted_by_origin[model]);
  };
  EXPECT_GT(accepted(100), 0.95);
  EXPECT_LT(accepted(70), 0.9);
  EXPECT_LT(accepted(0), 0.05);
}

TEST(RunTasks, TheDraftModelsPassesHaveAPrice) {
  const RunPlan plan = replay_plan({edit_task("new", "x\n", kAfter)}, {"ar", "efficientedit"});
  const TaskRecord record = run_plan(plan).records[1];
  EXPECT_GT(record.priced_seconds,
            0.010 * record.statistics.passes + 0.25 * 0.010 * record.statistics.new_tokens / 2);
}

TEST(RunTasks, ATaskPaysForItsOwnDraftsAlone) {
  const RunPlan plan = replay_plan(
      {edit_task("one", "x\n", kAfter), edit_task("two", "x\n", kAfter)}, {"ar", "efficientedit"});
  const RunReport report = run_plan(plan);
  EXPECT_NEAR(report.records[1].priced_seconds, report.records[3].priced_seconds, 1e-9);
}

TEST(RunTasks, EachDecoderReadsThePromptUnlessItIsWarm) {
  RunPlan plan = replay_plan(some_tasks(), {"ar", "pld", "redraft"});
  for (const TaskRecord& record : run_plan(plan).records)
    EXPECT_EQ(record.statistics.cached_prompt_tokens, 0) << record.key.decoder;
  plan.warm = true;
  for (const TaskRecord& record : run_plan(plan).records) {
    EXPECT_EQ(record.statistics.cached_prompt_tokens > 0, record.key.decoder != "ar")
        << record.key.decoder;
  }
}

// The second of two equal tasks: what it writes was written before.
TEST(RunTasks, DecodersRememberUnlessTheyAreToForget) {
  const std::string text = std::string(kAfter) + kBefore;
  RunPlan plan = replay_plan({edit_task("one", "x\n", text), edit_task("two", "x\n", text)},
                             {"ar", "redraft"});
  const auto passes = [&] {
    const RunReport report = run_plan(plan);
    return std::pair(report.records[1].statistics.passes, report.records[3].statistics.passes);
  };
  const auto [first, second] = passes();
  EXPECT_LT(second, first);
  plan.forget = true;
  EXPECT_EQ(passes(), std::pair(first, first));
}

TEST(RunTasks, TasksThatCannotRunAreSkippedAndDoNotCount) {
  std::vector<BenchTask> tasks = some_tasks();
  tasks[0].file->after.reset();
  tasks[1].file->before = std::string("a\0b", 3);
  RunPlan plan = replay_plan(tasks, {"ar"});
  plan.limit = 1;
  const RunReport report = run_plan(plan);
  ASSERT_THAT(report.records, SizeIs(1));
  EXPECT_EQ(report.records[0].key.id, "other");
  ASSERT_THAT(report.skipped, SizeIs(2));
  EXPECT_THAT(report.skipped[0].reason, HasSubstr("no reference"));
}

TEST(RunTasks, ARegionStandsInForAFileThatDoesNotFit) {
  BenchTask task = edit_task("long", std::string(1 << 17, 'x'), "y\n");
  task.region = EditText{kBefore, kAfter};
  const RunReport report = run_plan(replay_plan({task}, {"ar"}));
  ASSERT_THAT(report.records, SizeIs(1));
  EXPECT_LT(report.records[0].statistics.prompt_tokens, 1000);
  task.region.reset();
  EXPECT_THAT(run_plan(replay_plan({task}, {"ar"})).skipped.at(0).reason, HasSubstr("too long"));
}

TEST(RunTasks, ADialoguesSecondTurnSeesTheFirstAnswer) {
  BenchTask task;
  task.kind = TaskKind::kDialogue;
  task.id = "talk";
  task.turns = {"Write three words.", "Again, in capitals."};
  task.answers = {"one two three", "ONE TWO THREE"};
  const RunReport report = run_plan(replay_plan({task}, {"ar", "redraft"}));
  ASSERT_THAT(report.records, SizeIs(4));
  EXPECT_EQ(report.records[2].key, (RecordKey{"talk", 2, "ar"}));
  EXPECT_GT(report.records[2].statistics.prompt_tokens,
            report.records[0].statistics.prompt_tokens + 13);
  EXPECT_EQ(summarize(report.records, 2).front().tasks, 1);
  EXPECT_EQ(summarize(report.records).front().tasks, 2);
}

TEST(RunTasks, RecordedOutputsTakeTheReferencesPlace) {
  RunPlan plan = replay_plan({edit_task("one", kBefore, kAfter)}, {"ar", "redraft"});
  const RecordedOutputs outputs = {{{"one", 1}, {65, 66, 67}}};
  plan.step.outputs = &outputs;
  const RunReport report = run_plan(plan);
  EXPECT_EQ(report.records[0].tokens, (std::vector<TokenId>{65, 66, 67}));
  plan.tasks[0].id = "two";
  EXPECT_THAT(run_plan(plan).skipped.at(0).reason, HasSubstr("no output"));
}

TEST(RunTasks, AnErrorOfAHookEndsTheRun) {
  const ReplayEngine replay = replay_engine();
  RunHooks hooks;
  hooks.on_record = [](const TaskRecord&) -> Result<void> { return Error("the disk is full"); };
  const auto report =
      run_tasks(*replay.engine, replay_plan(some_tasks(), {"ar"}), replay.models, {}, hooks, {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message(), HasSubstr("the disk is full"));
}

// A run that is interrupted after any decode continues to the same result.
TEST(RunTasks, GoesOnAfterAnInterruptionAnywhere) {
  const RunPlan plan = replay_plan(some_tasks(), {"ar", "redraft"});
  const RunReport whole = run_plan(plan);
  for (std::size_t kept = 0; kept <= whole.records.size(); ++kept) {
    const ReplayEngine replay = replay_engine();
    std::map<RecordKey, TaskRecord> done;
    std::stop_source stop;
    RunHooks hooks;
    hooks.on_record = [&](const TaskRecord& record) -> Result<void> {
      done.emplace(record.key, record);
      return {};
    };
    hooks.on_progress = [&](const RunProgress& progress) {
      EXPECT_LT(progress.done, progress.total);
      EXPECT_GE(progress.seconds_left, 0);
      if (done.size() == kept) stop.request_stop();
    };
    const auto first = run_tasks(*replay.engine, plan, replay.models, {}, hooks, stop.get_token());
    ASSERT_TRUE(first);
    EXPECT_EQ(first->interrupted, kept < whole.records.size());
    EXPECT_EQ(first->records.size(), kept);
    int decoded = 0;
    hooks = {};
    hooks.on_record = [&](const TaskRecord&) -> Result<void> {
      ++decoded;
      return {};
    };
    const auto second = run_tasks(*replay.engine, plan, replay.models, done, hooks, {});
    ASSERT_TRUE(second);
    EXPECT_EQ(decoded, static_cast<int>(whole.records.size() - kept));
    ASSERT_EQ(second->records.size(), whole.records.size());
    for (std::size_t i = 0; i < whole.records.size(); ++i) {
      EXPECT_EQ(second->records[i].key, whole.records[i].key);
      EXPECT_EQ(second->records[i].statistics.passes, whole.records[i].statistics.passes);
      EXPECT_EQ(second->records[i].identical, whole.records[i].identical);
    }
  }
}

}  // namespace
}  // namespace redraft
