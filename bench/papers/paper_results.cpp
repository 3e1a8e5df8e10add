#include "bench/papers/paper_results.h"

#include <algorithm>
#include <limits>
#include <set>

namespace redraft {
namespace {

constexpr JsonLimits kReportLimits{
    .bytes = std::size_t{1} << 30, .values = std::size_t{64} << 20, .depth = 16};

std::optional<double> ratio(double a, double b) {
  return b > 0 ? std::optional(a / b) : std::nullopt;
}
std::optional<double> percent(std::optional<double> share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

std::string text_of(const JsonValue& settings, std::string_view key) {
  const std::optional<JsonValue> value = settings.find(key);
  if (!value) return {};
  const Result<std::string_view> text = value->text();
  return text ? std::string(*text) : std::string();
}
int number_of(const JsonValue& settings, std::string_view key) {
  const std::optional<JsonValue> value = settings.find(key);
  if (!value) return 0;
  const Result<std::int64_t> number = value->integer(0, std::numeric_limits<int>::max());
  return number ? static_cast<int>(*number) : 0;
}
bool flag_of(const JsonValue& settings, std::string_view key) {
  const std::optional<JsonValue> value = settings.find(key);
  if (!value) return false;
  const Result<bool> flag = value->boolean();
  return flag && *flag;
}

// The names of the task files, without their folders.
std::set<std::string> data_of(const JsonValue& settings) {
  std::set<std::string> names;
  const std::optional<JsonValue> list = settings.find("data");
  if (!list || list->kind() != JsonValue::Kind::kArray) return names;
  for (const JsonValue each : *list)
    names.insert(std::filesystem::path(text_of(each, "file")).filename().string());
  return names;
}

// An error if the settings are those of another run altogether.
Result<void> check_is(const PaperRun& run, const JsonValue& settings) {
  if (const std::string bench = text_of(settings, "bench"); bench != to_string(run.kind)) {
    return settings.error("is a run of `bench " + bench + "`; " + run.id + " is one of `bench " +
                          to_string(run.kind) + "`");
  }
  if (flag_of(settings, "replay")) return settings.error("is a replay, without a model");
  std::set<std::string> wanted;
  for (const std::string& file : run.files)
    wanted.insert(std::filesystem::path(file).filename().string());
  if (data_of(settings) != wanted)
    return settings.error("is of other task files than " + run.id + ": " + *wanted.begin());
  const auto differs = [&](const char* key, bool own) { return flag_of(settings, key) != own; };
  if (run.kind == TaskKind::kEdits && text_of(settings, "instruction") != run.instruction)
    return settings.error("has other instructions than " + run.id + ": " + run.instruction);
  if (differs("chat", run.chat) || differs("left_only", run.left_only) ||
      differs("mtbench_turn2", run.mtbench_turn2) || differs("as_server", false) ||
      settings.find("rag")) {
    return settings.error("asks the tasks in another way than " + run.id);
  }
  return {};
}

std::vector<std::string> differences(const PaperRun& run, const JsonValue& settings) {
  std::vector<std::string> all;
  if (const int most = number_of(settings, "max_new_tokens"); most != run.max_new_tokens) {
    all.push_back((most > 0 ? std::to_string(most) + " tokens" : "what suits the kind") +
                  " at most, not " + std::to_string(run.max_new_tokens));
  }
  if (!flag_of(settings, "warm")) all.emplace_back("each decoder read the prompt anew (no --warm)");
  if (run.common && !settings.find("common")) all.emplace_back("without common code");
  if (run.pass_at_1 && !flag_of(settings, "pass_at_1")) all.emplace_back("without tests");
  return all;
}

std::optional<double> of_searches(PaperMetric metric, const SearchCounts& s) {
  const int answered = s.cache_hits + s.searches;
  const int left_out = s.searches_skipped + s.searches_missing;
  switch (metric) {
    case PaperMetric::kCacheHits:
      return percent(ratio(s.cache_hits, answered));
    case PaperMetric::kSkipped:
      return percent(ratio(left_out, answered + left_out));
    case PaperMetric::kCacheMs:
      return ratio(1000 * s.cache_seconds, s.cache_asked);
    default:
      return ratio(1000 * s.search_seconds, s.searches);
  }
}

std::optional<double> positive(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

// The measure of one decoder. Zero passes for "nothing was counted" where it cannot be a result.
std::optional<double> value_of(PaperMetric metric, const DecoderSummary& sum) {
  switch (metric) {
    case PaperMetric::kTokensPerSecond:
      return positive(sum.tokens_per_second);
    case PaperMetric::kMsPerToken:
      return positive(sum.ms_per_token());
    case PaperMetric::kSecondsPerTask:
      return ratio(sum.seconds, sum.tasks);
    case PaperMetric::kSpeedup:
      return positive(sum.speedup);
    case PaperMetric::kPassAt1:
      return percent(ratio(sum.passed, sum.judged));
    case PaperMetric::kEditSimilarity:
      return sum.compared > 0 ? std::optional(100 * sum.edit_similarity) : std::nullopt;
    case PaperMetric::kCopied:
      return sum.decoder == "ar" ? std::nullopt : std::optional(100 * sum.copied_share());
    case PaperMetric::kTau1:
      return positive(sum.accepted_per_attempt(DraftOrigin::kCopy));
    case PaperMetric::kTau2:
      return positive(sum.accepted_per_attempt(DraftOrigin::kModel));
    case PaperMetric::kTokensPerForward:
      return positive(sum.statistics.tokens_per_forward());
    case PaperMetric::kCopyAttempts:
      return static_cast<double>(
          sum.statistics.passes_by_origin[static_cast<std::size_t>(DraftOrigin::kCopy)]);
    case PaperMetric::kCacheHits:
    case PaperMetric::kSkipped:
    case PaperMetric::kCacheMs:
    case PaperMetric::kSearchMs:
      break;
  }
  return of_searches(metric, sum.searches);
}

bool selected(const TaskRecord& record, const CellOf& cell) {
  return record.key.decoder == cell.decoder && (cell.turn == 0 || record.key.turn == cell.turn) &&
         (cell.category.empty() || record.category == cell.category);
}

struct Price {
  double seconds = 0;
  int tokens = 0;
  bool known = false;
};

Price price_of(const std::vector<TaskRecord>& records, const CellOf& cell, const CostCurve& curve,
               double draft_cost) {
  Price price;
  for (const TaskRecord& record : records) {
    if (!selected(record, cell)) continue;
    if (record.passes_by_rows.empty()) return {};  // of a redraft that did not count them
    for (std::size_t i = 0; i + 1 < record.passes_by_rows.size(); i += 2)
      price.seconds += record.passes_by_rows[i + 1] * curve.seconds(record.passes_by_rows[i]);
    const auto model = static_cast<std::size_t>(DraftOrigin::kModel);
    price.seconds += static_cast<double>(record.statistics.drafted_by_origin[model]) * draft_cost *
                     curve.seconds(1);
    price.tokens += record.statistics.new_tokens;
    price.known = true;
  }
  return price;
}

}  // namespace

Result<PaperResults> PaperResults::open(const std::filesystem::path& file, const PaperRun& run) {
  const Result<JsonDocument> report = JsonDocument::open(file, kReportLimits);
  if (!report) return report.error();
  return parse(*report, run);
}

Result<PaperResults> PaperResults::parse(const JsonDocument& report, const PaperRun& run) {
  const Result<JsonValue> settings = report.root().at("settings");
  if (!settings) return settings.error();
  if (const Result<void> is = check_is(run, *settings); !is) return is.error();
  PaperResults results;
  results.facts_ = {.target = text_of(*settings, "target"),
                    .draft = text_of(*settings, "draft"),
                    .machine = text_of(*settings, "machine"),
                    .threads = number_of(*settings, "threads"),
                    .limit = number_of(*settings, "limit"),
                    .differences = differences(run, *settings)};
  const Result<JsonValue> tasks = report.root().at("tasks");
  if (!tasks) return tasks.error();
  const Result<JsonValue> list = tasks->array();
  if (!list) return list.error();
  for (const JsonValue each : *list) {
    Result<TaskRecord> record = parse_record(each);
    if (!record) return record.error();
    results.records_.push_back(std::move(*record));
  }
  if (const std::optional<JsonValue> skipped = report.root().find("skipped");
      skipped && skipped->kind() == JsonValue::Kind::kArray) {
    for (const JsonValue each : *skipped)
      results.left_out_.emplace(text_of(each, "id"), text_of(each, "reason"));
  }
  return results;
}

std::string PaperResults::why_left_out(const std::string& decoder) const {
  const auto reason = left_out_.find(decoder);
  return reason == left_out_.end() ? std::string() : reason->second;
}

bool PaperResults::has(const std::string& decoder) const {
  return std::ranges::any_of(
      records_, [&](const TaskRecord& record) { return record.key.decoder == decoder; });
}

std::vector<std::string> PaperResults::decoders() const {
  std::vector<std::string> names;
  for (const TaskRecord& record : records_) {
    if (std::ranges::find(names, record.key.decoder) == names.end())
      names.push_back(record.key.decoder);
  }
  return names;
}

const std::vector<DecoderSummary>& PaperResults::summaries(const CellOf& cell) const {
  const auto [at, added] = summaries_.try_emplace({cell.turn, cell.category});
  if (added) at->second = summarize(records_, cell.turn, cell.category);
  return at->second;
}

const DecoderSummary* PaperResults::summary(const CellOf& cell) const {
  const std::vector<DecoderSummary>& all = summaries(cell);
  const auto sum = std::ranges::find(all, cell.decoder, &DecoderSummary::decoder);
  return sum == all.end() ? nullptr : &*sum;
}

std::optional<double> PaperResults::value(PaperMetric metric, const CellOf& cell) const {
  const DecoderSummary* sum = summary(cell);
  return sum ? value_of(metric, *sum) : std::nullopt;
}

std::optional<double> PaperResults::priced_speedup(const CellOf& cell, const CostCurve& curve,
                                                   double draft_cost) const {
  CellOf plain_cell = cell;
  plain_cell.decoder = "ar";
  const Price own = price_of(records_, cell, curve, draft_cost);
  const Price plain = price_of(records_, plain_cell, curve, draft_cost);
  if (!own.known || !plain.known) return std::nullopt;
  return relative_speed(own.seconds, own.tokens, plain.seconds, plain.tokens);
}

}  // namespace redraft
