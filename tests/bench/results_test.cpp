// What happens to the records of a run: the log, the report, the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "bench/margins.h"
#include "bench/overlap.h"
#include "bench/record_json.h"
#include "bench/report.h"
#include "bench/run_log.h"
#include "bench/summary.h"
#include "bench/task_table.h"
#include "tests/bench/bench_kit.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TaskRecord record(const std::string& id, const std::string& decoder, int tokens, double seconds,
                  double priced) {
  TaskRecord record;
  record.key = {id, 1, decoder};
  record.finish_reason = "stop";
  record.statistics.new_tokens = tokens;
  record.statistics.passes = decoder == "ar" ? tokens + 1 : tokens / 4 + 1;
  record.statistics.rows = tokens + 1;
  record.statistics.prefill_seconds = 1;
  record.seconds = record.statistics.decode_seconds = seconds;
  record.priced_seconds = priced;
  if (decoder == "ar") return record;
  const auto copy = static_cast<std::size_t>(DraftOrigin::kCopy);
  record.statistics.passes_by_origin[copy] = 5;
  record.statistics.drafted_by_origin[copy] = tokens;
  record.statistics.accepted_by_origin[copy] = tokens / 2;
  record.statistics.bonus_tokens = tokens - tokens / 2;
  record.statistics.drafted_passes = 5;
  record.statistics.drafted_pass_tokens = tokens / 2 + 5;
  return record;
}

std::vector<TaskRecord> two_tasks() {
  std::vector<TaskRecord> records = {record("a", "ar", 99, 10, 10),
                                     record("a", "copyspec", 99, 5, 4), record("b", "ar", 9, 1, 1),
                                     record("b", "copyspec", 9, 1, 2)};
  records[3].identical = false;
  records[0].tokens = {1, 2, 3};
  records[0].overlap = 0.25;
  records[1].passed = true;
  records[0].margins.assign(kMarginClasses, 1);
  records[0].edit_similarity = 0.5;
  records[2].edit_similarity = 0.75;
  records[1].passes_by_rows = {1, 3, 8, 2};
  for (TaskRecord& one : records) one.category = one.key.id == "a" ? "coding" : "math";
  return records;
}

class InAFolder : public testing::Test {
 protected:
  InAFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "redraft-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~InAFolder() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};
using RunLogTest = InAFolder;

TEST(Summary, ComparesTotalsAndMeansWithPlainDecoding) {
  const std::vector<DecoderSummary> sums = summarize(two_tasks());
  ASSERT_THAT(sums, SizeIs(2));
  EXPECT_EQ(sums[0].decoder, "ar");
  EXPECT_DOUBLE_EQ(sums[0].speedup, 1);
  EXPECT_EQ(sums[1].tasks, 2);
  EXPECT_DOUBLE_EQ(sums[1].tokens_per_second, 108.0 / 6);
  EXPECT_DOUBLE_EQ(sums[1].mean_task_tokens_per_second, (99.0 / 5 + 9.0 / 1) / 2);
  EXPECT_DOUBLE_EQ(sums[1].speedup, 11.0 / 6);
  EXPECT_DOUBLE_EQ(sums[1].mean_task_speedup, (99.0 / 5 + 9) / (99.0 / 10 + 9));
  EXPECT_DOUBLE_EQ(sums[1].total_speedup, 13.0 / 8);
  EXPECT_DOUBLE_EQ(sums[1].priced_speedup, 11.0 / 6);
  EXPECT_DOUBLE_EQ(sums[1].worst_priced_speedup, 0.5);
  EXPECT_EQ(sums[1].worst_task, "b");
  EXPECT_EQ(sums[1].identical, 1);
  EXPECT_EQ(sums[1].judged, 1);
  EXPECT_EQ(sums[1].passed, 1) << "not the one without tests";
  EXPECT_DOUBLE_EQ(sums[1].accepted_per_attempt(DraftOrigin::kCopy), (49.0 + 4) / 10);
  EXPECT_DOUBLE_EQ(sums[1].accepted_per_attempt(DraftOrigin::kModel), 0);
  EXPECT_DOUBLE_EQ(sums[1].drafted_share(), 53.0 / 108);
}

TEST(Summary, KeepsCategoriesApart) {
  const std::vector<TaskRecord> records = two_tasks();
  EXPECT_THAT(categories_of(records), testing::ElementsAre("coding", "math"));
  const std::vector<DecoderSummary> math = summarize(records, 0, "math");
  ASSERT_THAT(math, SizeIs(2));
  EXPECT_EQ(math[1].tasks, 1);
  EXPECT_EQ(math[1].statistics.new_tokens, 9);
  EXPECT_DOUBLE_EQ(math[1].speedup, 1);
  EXPECT_DOUBLE_EQ(summarize(records, 0, "coding")[1].speedup, 2);
  EXPECT_THAT(summarize(records, 0, "art"), SizeIs(0));
  const auto json = bench_report({}, records, {});
  ASSERT_EQ(json["summary"][1]["categories"].size(), 2U);
  EXPECT_EQ(json["summary"][1]["categories"][1]["category"], "math");
  EXPECT_EQ(json["summary"][1]["categories"][1]["new_tokens"], 9);
}

TEST(Summary, OtherMeasuresOfThePapers) {
  const std::vector<DecoderSummary> sums = summarize(two_tasks());
  EXPECT_EQ(sums[0].compared, 2);
  EXPECT_DOUBLE_EQ(sums[0].edit_similarity, 0.625);
  EXPECT_EQ(sums[1].compared, 0);
  EXPECT_DOUBLE_EQ(sums[0].ms_per_token(), 1000 * 11.0 / 108);
  EXPECT_DOUBLE_EQ(sums[1].copied_share(), 53.0 / 108);
}

TEST(Table, TellsForwardPassesWhereTheyDiffer) {
  const TableTitle title{.data = "x", .target = "m", .draft = "", .machine = ""};
  std::vector<TaskRecord> records = two_tasks();
  EXPECT_THAT(task_table(title, TaskKind::kEdits, records, {}), testing::Not(HasSubstr("tok/fwd")));
  records[1].statistics.forwards = 40;
  records[1].searches.cache_asked = 7;
  const std::string table = task_table(title, TaskKind::kEdits, records, {});
  EXPECT_THAT(table, testing::ContainsRegex("passes forwards +tok/fwd +CACHE"));
  EXPECT_THAT(table, testing::ContainsRegex("copyspec .* 28 +40 +2\\.70 +7"));
}

TEST(Report, HasTheShapeThatOtherProgramsRead) {
  const auto json =
      bench_report({{"bench", "edits"}}, two_tasks(), std::vector<SkippedTask>{{"c", "why"}});
  EXPECT_EQ(json["settings"]["bench"], "edits");
  ASSERT_EQ(json["tasks"].size(), 4U);
  for (const char* key : {"id", "decoder", "new_tokens", "passes", "rows", "seconds", "identical"})
    EXPECT_TRUE(json["tasks"][1].contains(key)) << key;
  EXPECT_DOUBLE_EQ(json["tasks"][1]["speedup"], 2);
  EXPECT_DOUBLE_EQ(json["tasks"][3]["priced_speedup"], 0.5);
  ASSERT_EQ(json["summary"].size(), 2U);
  for (const char* key :
       {"decoder", "tokens_per_second", "mean_task_tokens_per_second", "speedup", "tokens_per_pass",
        "rows_per_pass", "acceptance_length", "identical", "tasks"})
    EXPECT_TRUE(json["summary"][1].contains(key)) << key;
  EXPECT_EQ(json["summary"][1]["identical"], 1);
  EXPECT_EQ(json["skipped"][0]["reason"], "why");
}

TEST(Report, KeepsTheTurnsOfADialogueApart) {
  std::vector<TaskRecord> records = {record("a", "ar", 9, 1, 1), record("a", "ar", 99, 2, 2)};
  records[1].key.turn = 2;
  const auto json = bench_report({}, records, {});
  ASSERT_EQ(json["summary"][0]["turns"].size(), 2U);
  EXPECT_EQ(json["summary"][0]["turns"][1]["turn"], 2);
  EXPECT_EQ(json["summary"][0]["turns"][1]["new_tokens"], 99);
}

TEST(Table, SaysWhatWasMeasured) {
  TableTitle title{.data = "x.jsonl", .target = "m", .draft = "", .machine = "a machine"};
  const std::string table = task_table(title, TaskKind::kEdits, two_tasks(),
                                       std::vector<SkippedTask>{{"c", "why"}, {"d", "why"}});
  EXPECT_THAT(table, HasSubstr("x.jsonl"));
  EXPECT_THAT(table,
              testing::ContainsRegex("copyspec +2 +18\\.0 +14\\.4 +1\\.83x +1\\.52x +1\\.62x"));
  EXPECT_THAT(table, HasSubstr("0.50x"));
  EXPECT_THAT(table, HasSubstr("1/2"));
  EXPECT_THAT(table, HasSubstr("5.30"));  // tau1
  EXPECT_THAT(table, HasSubstr("pass@1"));
  EXPECT_THAT(table, HasSubstr("below 0.001"));
  EXPECT_THAT(table, HasSubstr("skipped 2: why (c, …)"));
  EXPECT_THAT(table, testing::Not(HasSubstr("turn 1")));
  title.warm = true;
  EXPECT_THAT(task_table(title, TaskKind::kEdits, two_tasks(), {}),
              testing::Not(testing::ContainsRegex("mean +whole")));
}

TEST(Table, HasOneTableATurn) {
  std::vector<TaskRecord> records = {record("a", "ar", 9, 1, 1), record("a", "ar", 99, 2, 2)};
  records[1].key.turn = 2;
  const std::string table =
      task_table({.data = "x", .target = "m", .draft = "", .machine = "", .replay = true},
                 TaskKind::kDialogue, records, {});
  EXPECT_THAT(table, HasSubstr("turn 2\n"));
  EXPECT_THAT(table, HasSubstr("replayed"));
}

TEST(Record, SurvivesItsJson) {
  for (const TaskRecord& one : two_tasks()) {
    const std::string text = to_json(one).dump();
    const auto document = JsonDocument::parse("line", text);
    ASSERT_TRUE(document);
    const auto again = parse_record(document->root());
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(to_json(*again).dump(), text);
  }
}

TEST(Record, KeepsEveryStatistic) {
  TaskRecord one = two_tasks()[1];
  int next = 1;
  for_each_statistic([&](const char*, auto field, ReportedBy) {
    if constexpr (requires { (one.statistics.*field).size(); }) {
      for (auto& count : one.statistics.*field) count = next++;
    } else {
      one.statistics.*field = next++;
    }
  });
  const auto document = JsonDocument::parse("line", to_json(one).dump());
  ASSERT_TRUE(document);
  const auto again = parse_record(document->root());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->statistics, one.statistics);
  const auto report = bench_report({}, std::vector{one}, {});
  EXPECT_EQ(report["tasks"][0]["prefilled_tokens"], one.statistics.prefilled_tokens);
  EXPECT_EQ(report["summary"][0]["prefilled_tokens"], one.statistics.prefilled_tokens);
}

// An earlier redraft did not write what it did not count; what plain decoding wrote can be replayed
// all the same (--replay-outputs).
TEST(Record, OfAnEarlierProgramLacksStatistics) {
  auto json = to_json(two_tasks()[1]);
  json.erase("prefilled_tokens");
  json["accepted_by_source"].erase("recycled");
  const auto document = JsonDocument::parse("line", json.dump());
  ASSERT_TRUE(document);
  const auto record = parse_record(document->root());
  ASSERT_TRUE(record) << record.error().message();
  EXPECT_EQ(record->statistics, two_tasks()[1].statistics);
}

TEST(Record, RefusesWhatIsNone) {
  const std::string sound = to_json(two_tasks()[0]).dump();
  const auto problem = [](const std::string& text) {
    const auto document = JsonDocument::parse("line", text);
    if (!document) return document.error().message();
    const auto record = parse_record(document->root());
    return record ? std::string("none") : record.error().message();
  };
  EXPECT_THAT(problem("{}"), HasSubstr("has no id"));
  EXPECT_THAT(problem("[]"), HasSubstr("expected an object"));
  std::string text = sound;
  EXPECT_THAT(problem(text.replace(text.find("\"passes\":100"), 12, "\"passes\":-1")),
              HasSubstr("passes"));
  text = sound;
  EXPECT_THAT(problem(text.replace(text.find("\"accepted_by_source\":{"), 22,
                                   "\"accepted_by_source\":[],\"x\":{")),
              HasSubstr("accepted_by_source"));
  text = sound;
  EXPECT_THAT(problem(text.replace(text.find("[1,2,3]"), 7, "[1,2.5]")), HasSubstr("tokens[1]"));
  text = to_json(two_tasks()[1]).dump();
  EXPECT_THAT(problem(text.replace(text.find("[1,3,8,2]"), 9, "[1,3,8]")),
              HasSubstr("passes_by_rows"));
}

TEST_F(RunLogTest, GoesOnAfterWhatWasWrittenWhole) {
  const std::filesystem::path file = folder_ / "r.partial";
  const std::vector<TaskRecord> records = two_tasks();
  {
    auto log = RunLog::open(file, "{\"a\":1}");
    ASSERT_TRUE(log) << log.error().message();
    EXPECT_TRUE(log->records().empty());
    ASSERT_TRUE(log->append(records[0]));
    ASSERT_TRUE(log->append(records[1]));
  }
  std::ofstream(file, std::ios::app) << "{\"id\": \"cut o";
  auto log = RunLog::open(file, "{\"a\":1}");
  ASSERT_TRUE(log) << log.error().message();
  EXPECT_THAT(log->records(), SizeIs(2));
  EXPECT_EQ(log->records().at(records[1].key).seconds, 5);
  ASSERT_TRUE(log->append(records[2]));
  log->remove();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(RunLogTest, RefusesAnotherCommandsLogAndADamagedOne) {
  const std::filesystem::path file = folder_ / "r.partial";
  ASSERT_TRUE(RunLog::open(file, "{\"a\":1}"));
  const auto other = RunLog::open(file, "{\"a\":2}");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message(), HasSubstr("another command"));
  std::ofstream(file, std::ios::app) << "not json\n";
  const auto damaged = RunLog::open(file, "{\"a\":1}");
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message(), HasSubstr("r.partial:2"));
}

TEST_F(RunLogTest, IsOneProcesssAtATime) {
  const std::filesystem::path file = folder_ / "r.partial";
  const auto first = RunLog::open(file, "{}");
  ASSERT_TRUE(first);
  const auto second = RunLog::open(file, "{}");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("another run"));
}

TEST_F(RunLogTest, SaysWhenItCannotBeWritten) {
  EXPECT_THAT(RunLog::open(folder_ / "no" / "r", "{}").error().message(), HasSubstr("cannot be"));
}

TEST(Overlap, IsTheLongestCommonSubsequence) {
  const auto slow = [](const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
    std::vector<std::vector<int>> best(a.size() + 1, std::vector<int>(b.size() + 1, 0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
      for (std::size_t j = 1; j <= b.size(); ++j)
        best[i][j] = a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1
                                          : std::max(best[i - 1][j], best[i][j - 1]);
    }
    return best.back().back();
  };
  std::uint64_t seed = 1;
  const auto sequence = [&seed](std::size_t length) {
    std::vector<TokenId> tokens(length);
    for (TokenId& token : tokens) token = static_cast<TokenId>(hash_of(++seed, {}) % 5);
    return tokens;
  };
  for (const std::size_t n : {0, 1, 5, 63, 64, 65, 130, 200}) {
    for (const std::size_t m : {0, 1, 64, 150}) {
      const auto a = sequence(n);
      const auto b = sequence(m);
      EXPECT_EQ(longest_common_subsequence(a, b), slow(a, b)) << n << " and " << m;
    }
  }
}

TEST(Margins, CountEveryTokenOfTheOutputOnce) {
  ScriptedModel model = ScriptedModel::random(3, {});
  const std::vector<TokenId> prompt(70, 1);
  for (const std::size_t n : {0, 1, 64, 65, 200}) {
    const std::vector<TokenId> output(n, 2);
    const auto counts = margin_histogram(model, prompt, output, {});
    ASSERT_THAT(counts, SizeIs(kMarginClasses));
    int sum = 0;
    for (const int count : counts) sum += count;
    EXPECT_EQ(sum, static_cast<int>(n));
  }
}

}  // namespace
}  // namespace redraft
