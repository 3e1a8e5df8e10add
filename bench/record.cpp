#include "bench/record.h"

#include <limits>

#include "bench/record_json.h"
#include "decoding/statistics_json.h"

namespace redraft {
namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<int>::max();

// Reads members and keeps the first problem.
class Reader {
 public:
  explicit Reader(JsonValue object) : object_(object) {}

  void integer(const char* key, int& out) {
    if (const auto value = member(key))
      take(value->integer(0, kMaxCount), [&](std::int64_t n) { out = static_cast<int>(n); });
  }
  void real(const char* key, double& out) {
    if (const auto value = member(key)) take(value->number(), [&](double n) { out = n; });
  }
  void text(const char* key, std::string& out) {
    if (const auto value = member(key))
      take(value->text(), [&](std::string_view text) { out = text; });
  }
  void flag(const char* key, bool& out) {
    if (const auto value = member(key)) take(value->boolean(), [&](bool flag) { out = flag; });
  }
  // Fields of the statistics. What was not counted yet when the record was written stays 0, so that
  // outputs of an earlier redraft can be replayed.
  void statistic(const char* key, int& out) {
    if (has(key)) integer(key, out);
  }
  void statistic(const char* key, double& out) {
    if (has(key)) real(key, out);
  }
  void statistic(const char* key, CountsByOrigin& out) {
    if (!has(key)) return;
    const Result<JsonValue> counts = object_.find(key)->object();
    if (!counts) return fail(counts.error());
    for (const NamedDraftOrigin& origin : kDraftOrigins) {
      if (const auto count = counts->find(origin.name)) {
        take(count->integer(0, kMaxCount),
             [&](std::int64_t n) { out[static_cast<std::size_t>(origin.origin)] = n; });
      }
    }
  }
  void list(const char* key, std::vector<int>& out) {
    const std::optional<JsonValue> value = object_.find(key);
    if (!value) return;
    const Result<JsonValue> array = value->array();
    if (!array) return fail(array.error());
    for (const JsonValue each : *array) {
      take(each.integer(0, kMaxCount), [&](std::int64_t n) { out.push_back(static_cast<int>(n)); });
    }
  }
  bool has(const char* key) const { return object_.find(key).has_value(); }
  const std::optional<Error>& problem() const { return problem_; }
  void fail(const Error& error) {
    if (!problem_) problem_ = error;
  }

 private:
  std::optional<JsonValue> member(const char* key) {
    const Result<JsonValue> value = object_.at(key);
    if (value) return *value;
    fail(value.error());
    return std::nullopt;
  }
  template <typename T, typename Use>
  void take(const Result<T>& value, const Use& use) {
    if (value) return use(*value);
    fail(value.error());
  }

  JsonValue object_;
  std::optional<Error> problem_;
};

}  // namespace

Result<TaskRecord> parse_record(JsonValue value) {
  TaskRecord record;
  Reader reader(value);
  reader.text("id", record.key.id);
  reader.integer("turn", record.key.turn);
  reader.text("decoder", record.key.decoder);
  reader.text("finish_reason", record.finish_reason);
  reader.real("seconds", record.seconds);
  reader.real("priced_seconds", record.priced_seconds);
  for_each_statistic([&](const char* name, auto field, ReportedBy) {
    reader.statistic(name, record.statistics.*field);
  });
  for_each_search_count(
      [&](const char* name, auto field) { reader.statistic(name, record.searches.*field); });
  reader.flag("identical", record.identical);
  if (reader.has("overlap")) reader.real("overlap", record.overlap.emplace());
  if (reader.has("passed")) reader.flag("passed", record.passed.emplace());
  if (reader.has("edit_similarity"))
    reader.real("edit_similarity", record.edit_similarity.emplace());
  if (reader.has("category")) reader.text("category", record.category);
  reader.list("passes_by_rows", record.passes_by_rows);
  if (record.passes_by_rows.size() % 2 != 0)
    reader.fail(value.error("'passes_by_rows' is not a list of pairs"));
  static_assert(sizeof(TokenId) == sizeof(int));
  reader.list("tokens", record.tokens);
  reader.list("margins", record.margins);
  if (reader.problem()) return *reader.problem();
  return record;
}

void write_searches(const SearchCounts& searches, nlohmann::ordered_json& json) {
  for_each_search_count([&](const char* name, auto field) { json[name] = searches.*field; });
}

nlohmann::ordered_json to_json(const TaskRecord& record) {
  nlohmann::ordered_json json = {
      {"id", record.key.id},           {"turn", record.key.turn},
      {"decoder", record.key.decoder}, {"finish_reason", record.finish_reason},
      {"seconds", record.seconds},     {"priced_seconds", record.priced_seconds}};
  write_fields(record.statistics, ReportedBy::kBench, json);
  write_searches(record.searches, json);
  json["tokens_per_pass"] = record.statistics.tokens_per_pass();
  json["acceptance_length"] = record.statistics.acceptance_length();
  if (!record.passes_by_rows.empty()) json["passes_by_rows"] = record.passes_by_rows;
  json["identical"] = record.identical;
  if (record.overlap) json["overlap"] = *record.overlap;
  if (record.passed) json["passed"] = *record.passed;
  if (record.edit_similarity) json["edit_similarity"] = *record.edit_similarity;
  if (!record.category.empty()) json["category"] = record.category;
  if (!record.margins.empty()) json["margins"] = record.margins;
  if (!record.tokens.empty()) json["tokens"] = record.tokens;
  return json;
}

}  // namespace redraft
