#include "bench/report.h"

#include <algorithm>

#include "bench/record_json.h"
#include "bench/summary.h"
#include "decoding/statistics_json.h"

namespace redraft {
namespace {

nlohmann::ordered_json to_json(const DecoderSummary& sum) {
  const DecodeStatistics& statistics = sum.statistics;
  nlohmann::ordered_json json = {{"decoder", sum.decoder},
                                 {"tasks", sum.tasks},
                                 {"tokens_per_second", sum.tokens_per_second},
                                 {"mean_task_tokens_per_second", sum.mean_task_tokens_per_second},
                                 {"total_tokens_per_second", sum.total_tokens_per_second},
                                 {"speedup", sum.speedup},
                                 {"mean_task_speedup", sum.mean_task_speedup},
                                 {"total_speedup", sum.total_speedup},
                                 {"priced_speedup", sum.priced_speedup},
                                 {"worst_priced_speedup", sum.worst_priced_speedup},
                                 {"worst_task", sum.worst_task},
                                 {"ms_per_token", sum.ms_per_token()},
                                 {"tokens_per_pass", statistics.tokens_per_pass()},
                                 {"tokens_per_forward", statistics.tokens_per_forward()},
                                 {"rows_per_pass", sum.rows_per_pass()},
                                 {"acceptance_length", statistics.acceptance_length()},
                                 {"identical", sum.identical},
                                 {"seconds", sum.seconds},
                                 {"priced_seconds", sum.priced_seconds},
                                 {"drafted_share", sum.drafted_share()},
                                 {"copied_share", sum.copied_share()},
                                 {"tau1", sum.accepted_per_attempt(DraftOrigin::kCopy)},
                                 {"tau2", sum.accepted_per_attempt(DraftOrigin::kModel)}};
  write_fields(statistics, ReportedBy::kBench, json);
  write_searches(sum.searches, json);
  if (sum.compared > 0) json["edit_similarity"] = sum.edit_similarity;
  if (sum.judged > 0) {
    json["judged"] = sum.judged;
    json["pass_at_1"] = static_cast<double>(sum.passed) / sum.judged;
  }
  return json;
}

nlohmann::ordered_json tasks_of(std::span<const TaskRecord> records) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const TaskRecord& record = records[i];
    const TaskRecord& plain = plain_of(records, i);
    const int tokens = record.statistics.new_tokens;
    const int plain_tokens = plain.statistics.new_tokens;
    nlohmann::ordered_json task = redraft::to_json(record);
    task["tokens_per_second"] = record.seconds > 0 ? tokens / record.seconds : 0;
    task["speedup"] = relative_speed(record.seconds, tokens, plain.seconds, plain_tokens);
    task["priced_speedup"] =
        relative_speed(record.priced_seconds, tokens, plain.priced_seconds, plain_tokens);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

nlohmann::ordered_json summary_of(std::span<const TaskRecord> records) {
  nlohmann::ordered_json summary = nlohmann::ordered_json::array();
  for (const DecoderSummary& each : summarize(records)) summary.push_back(to_json(each));
  int turns = 1;
  for (const TaskRecord& record : records) turns = std::max(turns, record.key.turn);
  const auto add = [&](const char* list, int turn, const std::string& category) {
    std::size_t at = 0;  // decoders come in the same order
    for (const DecoderSummary& each : summarize(records, turn, category)) {
      nlohmann::ordered_json json = to_json(each);
      if (turn > 0) json["turn"] = turn;
      if (!category.empty()) json["category"] = category;
      summary[at++][list].push_back(std::move(json));
    }
  };
  for (int turn = 1; turns > 1 && turn <= turns; ++turn) add("turns", turn, {});
  for (const std::string& category : categories_of(records)) {
    if (turns == 1) add("categories", 0, category);
    for (int turn = 1; turns > 1 && turn <= turns; ++turn) add("categories", turn, category);
  }
  return summary;
}

}  // namespace

nlohmann::ordered_json bench_report(const nlohmann::ordered_json& settings,
                                    std::span<const TaskRecord> records,
                                    std::span<const SkippedTask> skipped) {
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const SkippedTask& each : skipped)
    left_out.push_back({{"id", each.id}, {"reason", each.reason}});
  return {{"settings", settings},
          {"tasks", tasks_of(records)},
          {"skipped", std::move(left_out)},
          {"summary", summary_of(records)}};
}

}  // namespace redraft
