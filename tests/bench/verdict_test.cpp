// Whether an output is that of plain decoding. Byte identity rests on the bench's verdict, so here
// it meets decoders that write something else. The target breaks row invariance, as wrong kernels
// would: after a '%' that came with a draft it predicts another byte. A decoder that drafts the '%'
// goes astray; one that drafts nothing writes the output of plain decoding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/report.h"
#include "bench/summary.h"
#include "bench/task_runner.h"
#include "bench/task_table.h"
#include "tests/bench/bench_kit.h"

namespace redraft {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::SizeIs;

// At most 64 bytes, so that a decoder that copies after 64 equal ones finds nothing.
const char* const kRemainder = "rest = sum(parts) % len(parts)\n";
const char* const kQuotient = "rest = sum(parts) / len(parts)\n";

// Ordered so that a verdict taken from a neighbour, or from the first or last decoder, is noticed.
const std::vector<std::string> kMixed = {
    "ar", "copyspec", "copyspec:gamma=64", "copyspec:gamma=63", "pld", "copyspec:gamma=2"};

BenchTask unchanged(const std::string& id, const std::string& text) {
  return edit_task(id, text, text);
}

RunReport run(const RunPlan& plan, const ReplayEngineOptions& options,
              const std::map<RecordKey, TaskRecord>& done = {}, const RunHooks& hooks = {}) {
  const ReplayEngine replay = replay_engine(options);
  Result<RunReport> report = run_tasks(*replay.engine, plan, replay.models, done, hooks, {});
  if (!report) throw std::logic_error(report.error().message());
  return std::move(*report);
}

std::vector<bool> verdicts(std::span<const TaskRecord> records) {
  std::vector<bool> verdicts;
  for (const TaskRecord& record : records) verdicts.push_back(record.identical);
  return verdicts;
}

// A plain decode stored by an earlier part of the run, modified by `change`: the decodes of this
// part are compared with it.
template <typename Change>
std::map<RecordKey, TaskRecord> kept_plain(const RunPlan& plan, const Change& change) {
  RunPlan alone = plan;
  alone.decoders.resize(1);
  TaskRecord record = run(alone, {}).records.at(0);
  change(record);
  return {{record.key, record}};
}

TEST(Verdict, EveryDecoderIsJudgedByItsOwnOutput) {
  const RunPlan plan = replay_plan({unchanged("one", kRemainder)}, kMixed);
  const RunReport report = run(plan, {.unfaithful_after = '%'});
  ASSERT_THAT(report.records, SizeIs(kMixed.size()));
  EXPECT_THAT(verdicts(report.records), ElementsAre(true, false, true, true, false, false));
  const TaskRecord& plain = report.records[0];
  for (const TaskRecord& record : report.records) {
    SCOPED_TRACE(record.key.decoder);
    EXPECT_EQ(record.finish_reason, plain.finish_reason);
    EXPECT_EQ(record.statistics.new_tokens, plain.statistics.new_tokens);
    if (record.key == plain.key) continue;
    EXPECT_EQ(record.statistics.drafted_passes == 0, record.identical);
    if (record.identical) {
      EXPECT_THAT(record.tokens, SizeIs(0));
      continue;
    }
    std::vector<TokenId> astray = plain.tokens;  // equal except for the byte after the '%'
    const auto mark = std::find(astray.begin(), astray.end(), '%');
    ASSERT_NE(mark, astray.end());
    *(mark + 1) = kWrongByte;
    EXPECT_EQ(record.tokens, astray);
  }
}

TEST(Verdict, EveryTaskIsJudgedByItself) {
  const RunPlan plan = replay_plan({unchanged("one", kRemainder), unchanged("two", kQuotient),
                                    unchanged("three", kQuotient), unchanged("four", kRemainder)},
                                   {"ar", "copyspec", "copyspec:gamma=64"});
  const RunReport report = run(plan, {.unfaithful_after = '%'});
  EXPECT_THAT(verdicts(report.records), ElementsAre(true, false, true,  //
                                                    true, true, true,   //
                                                    true, true, true,   //
                                                    true, false, true));
}

TEST(Verdict, EveryTurnIsJudgedByItself) {
  BenchTask task;
  task.kind = TaskKind::kDialogue;
  task.id = "talk";
  task.turns = {std::string("Repeat: ") + kRemainder, std::string("Repeat: ") + kQuotient};
  task.answers = {kRemainder, kQuotient};
  const RunReport report = run(replay_plan({task}, {"ar", "copyspec"}), {.unfaithful_after = '%'});
  EXPECT_THAT(verdicts(report.records), ElementsAre(true, false, true, true));
}

// The decoding loop ends equal outputs alike, so the difference has to come from outside: a plain
// decode stored by an earlier part of the run, which ended differently.
TEST(Verdict, TheSameTokensWithAnotherEndAreNotIdentical) {
  const RunPlan plan =
      replay_plan({unchanged("one", kRemainder)}, {"ar", "copyspec", "copyspec:gamma=64"});
  for (const char* other : {"length", "sink", "cancelled", ""}) {
    const auto kept = kept_plain(plan, [&](TaskRecord& record) { record.finish_reason = other; });
    const RunReport report = run(plan, {}, kept);
    EXPECT_THAT(verdicts(report.records), ElementsAre(true, false, false)) << other;
    for (const TaskRecord& record : report.records)
      EXPECT_EQ(record.tokens, report.records[0].tokens) << other;
    EXPECT_EQ(report.records[1].finish_reason, "stop");
  }
  const auto as_it_was = kept_plain(plan, [](const TaskRecord&) {});
  EXPECT_THAT(verdicts(run(plan, {}, as_it_was).records), ElementsAre(true, true, true));
}

TEST(Verdict, TheSameEndWithOtherTokensIsNotIdentical) {
  const RunPlan plan = replay_plan({unchanged("one", kRemainder)}, {"ar", "copyspec"});
  const auto differs = [&](const auto& change) {
    const RunReport report =
        run(plan, {}, kept_plain(plan, [&](TaskRecord& record) { change(record.tokens); }));
    EXPECT_EQ(report.records[1].finish_reason, report.records[0].finish_reason);
    return !report.records[1].identical;
  };
  EXPECT_TRUE(differs([](std::vector<TokenId>& tokens) { ++tokens.front(); }));
  EXPECT_TRUE(differs([](std::vector<TokenId>& tokens) { ++tokens.back(); }));
  EXPECT_TRUE(differs([](std::vector<TokenId>& tokens) { tokens.pop_back(); }));
  EXPECT_TRUE(differs([](std::vector<TokenId>& tokens) { tokens.push_back(' '); }));
  EXPECT_FALSE(differs([](std::vector<TokenId>&) {}));
}

// Only the tokens of outputs that differ are stored, so a stored verdict cannot be checked again.
TEST(Verdict, AKeptOneStandsAndIsNobodyElses) {
  const RunPlan plan = replay_plan({unchanged("one", kRemainder)}, kMixed);
  std::map<RecordKey, TaskRecord> kept;
  for (const TaskRecord& record : run(plan, {.unfaithful_after = '%'}).records) {
    if (record.key.decoder == "ar" || record.key.decoder == "copyspec")
      kept.emplace(record.key, record);
  }
  EXPECT_THAT(verdicts(run(plan, {}, kept).records),
              ElementsAre(true, false, true, true, true, true));
}

// In a replay there is a script that plain decoding can be compared with, too.
TEST(Verdict, APlainReplayIsHeldToItsScriptAndTheOthersToIt) {
  const std::string text = std::string(kRemainder) + kQuotient;
  const RunPlan plan = replay_plan({edit_task("one", "", text)}, {"ar", "copyspec"});
  const RunReport report = run(plan, {.target_agreement = 80});
  EXPECT_THAT(verdicts(report.records), ElementsAre(false, true));
}

TEST(Verdict, TestsRunAgainOverWhatDiffers) {
  BenchTask task = unchanged("one", kRemainder);
  task.tests = TaskTests{"assert rest", ""};
  RunHooks hooks;
  std::vector<std::string> judged;
  hooks.judge = [&](const BenchTask&, const std::string& text) {
    judged.push_back(text);
    return text == kRemainder;
  };
  const RunReport report = run(replay_plan({task}, {"ar", "copyspec", "copyspec:gamma=64"}),
                               {.unfaithful_after = '%'}, {}, hooks);
  EXPECT_THAT(judged, ElementsAre(kRemainder, "rest = sum(parts) %!len(parts)\n"));
  EXPECT_EQ(report.records[0].passed, true);
  EXPECT_EQ(report.records[1].passed, false);
  EXPECT_EQ(report.records[2].passed, true);
}

TEST(Verdict, SummaryReportAndTableTellOfIt) {
  const RunPlan plan = replay_plan({unchanged("one", kRemainder), unchanged("two", kQuotient)},
                                   {"ar", "copyspec", "copyspec:gamma=64"});
  const RunReport report = run(plan, {.unfaithful_after = '%'});
  std::vector<int> identical;
  for (const DecoderSummary& each : summarize(report.records)) identical.push_back(each.identical);
  EXPECT_THAT(identical, ElementsAre(2, 1, 2));
  const nlohmann::ordered_json json = bench_report({}, report.records, {});
  for (std::size_t i = 0; i < report.records.size(); ++i)
    EXPECT_EQ(json["tasks"][i]["identical"], i != 1) << i;
  for (std::size_t i = 0; i < identical.size(); ++i)
    EXPECT_EQ(json["summary"][i]["identical"], identical[i]) << i;
  const std::string table =
      task_table({.data = "x", .target = "m", .draft = "", .machine = "", .replay = true},
                 TaskKind::kEdits, report.records, {});
  EXPECT_THAT(table, ContainsRegex("\nar .* 2/2\n"));
  EXPECT_THAT(table, ContainsRegex("\ncopyspec  .* 1/2\n"));
  EXPECT_THAT(table, ContainsRegex("\ncopyspec:gamma=64 .* 2/2\n"));
}

}  // namespace
}  // namespace redraft
