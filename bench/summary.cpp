#include "bench/summary.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace redraft {
namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

void add(const TaskRecord& record, const TaskRecord& plain, DecoderSummary& sum) {
  sum.statistics += record.statistics;
  sum.searches += record.searches;
  ++sum.tasks;
  sum.seconds += record.seconds;
  sum.priced_seconds += record.priced_seconds;
  sum.mean_task_tokens_per_second += ratio(record.statistics.new_tokens, record.seconds);
  const double priced = relative_speed(record.priced_seconds, record.statistics.new_tokens,
                                       plain.priced_seconds, plain.statistics.new_tokens);
  if (sum.tasks == 1 || priced < sum.worst_priced_speedup) {
    sum.worst_priced_speedup = priced;
    sum.worst_task = record.key.id;
  }
  sum.identical += record.identical ? 1 : 0;
  sum.judged += record.passed.has_value() ? 1 : 0;
  sum.passed += record.passed.value_or(false) ? 1 : 0;
  sum.compared += record.edit_similarity.has_value() ? 1 : 0;
  sum.edit_similarity += record.edit_similarity.value_or(0);
}

void finish(DecoderSummary& sum) {
  const int tokens = sum.statistics.new_tokens;
  sum.mean_task_tokens_per_second = ratio(sum.mean_task_tokens_per_second, sum.tasks);
  sum.edit_similarity = ratio(sum.edit_similarity, sum.compared);
  sum.tokens_per_second = ratio(tokens, sum.seconds);
  sum.total_tokens_per_second = ratio(tokens, sum.seconds + sum.statistics.prefill_seconds);
}

void compare(const DecoderSummary& plain, DecoderSummary& sum) {
  sum.speedup = ratio(sum.tokens_per_second, plain.tokens_per_second);
  sum.mean_task_speedup = ratio(sum.mean_task_tokens_per_second, plain.mean_task_tokens_per_second);
  sum.total_speedup = ratio(sum.total_tokens_per_second, plain.total_tokens_per_second);
  sum.priced_speedup = relative_speed(sum.priced_seconds, sum.statistics.new_tokens,
                                      plain.priced_seconds, plain.statistics.new_tokens);
}

}  // namespace

double DecoderSummary::rows_per_pass() const { return ratio(statistics.rows, statistics.passes); }

double DecoderSummary::accepted_per_attempt(DraftOrigin origin) const {
  const auto index = static_cast<std::size_t>(origin);
  return ratio(static_cast<double>(statistics.accepted_by_origin[index]),
               static_cast<double>(statistics.passes_by_origin[index]));
}

double DecoderSummary::drafted_share() const {
  return ratio(statistics.new_tokens - statistics.bonus_tokens, statistics.new_tokens);
}

double DecoderSummary::copied_share() const {
  const auto copied = statistics.accepted_by_origin[static_cast<std::size_t>(DraftOrigin::kCopy)];
  return ratio(static_cast<double>(copied), statistics.new_tokens);
}

double DecoderSummary::ms_per_token() const { return 1000 * ratio(seconds, statistics.new_tokens); }

std::vector<DecoderSummary> summarize(std::span<const TaskRecord> records, int turn,
                                      const std::string& category) {
  std::vector<DecoderSummary> summaries;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RecordKey& key = records[i].key;
    if (turn != 0 && key.turn != turn) continue;
    if (!category.empty() && records[i].category != category) continue;
    auto sum = std::find_if(summaries.begin(), summaries.end(), [&](const DecoderSummary& each) {
      return each.decoder == key.decoder;
    });
    if (sum == summaries.end()) {
      DecoderSummary fresh;
      fresh.decoder = key.decoder;
      fresh.turn = turn;
      fresh.category = category;
      sum = summaries.insert(summaries.end(), std::move(fresh));
    }
    add(records[i], plain_of(records, i), *sum);
  }
  for (DecoderSummary& each : summaries) finish(each);
  for (DecoderSummary& each : summaries) compare(summaries.front(), each);
  return summaries;
}

std::vector<std::string> categories_of(std::span<const TaskRecord> records) {
  std::set<std::string> names;
  for (const TaskRecord& record : records) {
    if (!record.category.empty()) names.insert(record.category);
  }
  return {names.begin(), names.end()};
}

const TaskRecord& plain_of(std::span<const TaskRecord> records, std::size_t i) {
  assert(i < records.size());
  std::size_t first = i;
  while (first > 0 && records[first - 1].key.id == records[i].key.id &&
         records[first - 1].key.turn == records[i].key.turn) {
    --first;
  }
  return records[first];
}

double relative_speed(double seconds, int tokens, double plain_seconds, int plain_tokens) {
  return ratio(ratio(tokens + 1, seconds), ratio(plain_tokens + 1, plain_seconds));
}

}  // namespace redraft
