#include "bench/record.h"

#include <limits>

#include "bench/record_json.h"

namespace redraft {
namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<int>::max();
using Counts = std::array<std::int64_t, kDraftOriginCount>;

// The numbers of a record: where they are kept and what they are called, for both directions.
template <typename Record, typename Visitor>
void visit_integers(Record& record, const Visitor& visit) {
  auto& statistics = record.statistics;
  visit("prompt_tokens", statistics.prompt_tokens);
  visit("cached_prompt_tokens", statistics.cached_prompt_tokens);
  visit("new_tokens", statistics.new_tokens);
  visit("bonus_tokens", statistics.bonus_tokens);
  visit("passes", statistics.passes);
  visit("rows", statistics.rows);
  visit("drafted_passes", statistics.drafted_passes);
  visit("drafted_pass_tokens", statistics.drafted_pass_tokens);
}

template <typename Record, typename Visitor>
void visit_reals(Record& record, const Visitor& visit) {
  visit("seconds", record.seconds);
  visit("prefill_seconds", record.statistics.prefill_seconds);
  visit("decode_seconds", record.statistics.decode_seconds);
  visit("draft_seconds", record.statistics.draft_seconds);
  visit("priced_seconds", record.priced_seconds);
}

template <typename Record, typename Visitor>
void visit_counts(Record& record, const Visitor& visit) {
  visit("accepted_by_source", record.statistics.accepted_by_origin);
  visit("drafted_by_source", record.statistics.drafted_by_origin);
  visit("passes_by_source", record.statistics.passes_by_origin);
}

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
  void counts(const char* key, Counts& out) {
    const auto value = member(key);
    for (int origin = 0; value && origin < kDraftOriginCount; ++origin) {
      const auto count = value->at(to_string(static_cast<DraftOrigin>(origin)));
      if (!count) return fail(count.error());
      take(count->integer(0, kMaxCount), [&](std::int64_t n) { out[origin] = n; });
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
  void fail(const Error& error) {
    if (!problem_) problem_ = error;
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
  visit_integers(record, [&](const char* key, int& out) { reader.integer(key, out); });
  visit_reals(record, [&](const char* key, double& out) { reader.real(key, out); });
  visit_counts(record, [&](const char* key, Counts& out) { reader.counts(key, out); });
  reader.flag("identical", record.identical);
  if (reader.has("overlap")) reader.real("overlap", record.overlap.emplace());
  if (reader.has("passed")) reader.flag("passed", record.passed.emplace());
  static_assert(sizeof(TokenId) == sizeof(int));
  reader.list("tokens", record.tokens);
  reader.list("margins", record.margins);
  if (reader.problem()) return *reader.problem();
  return record;
}

nlohmann::ordered_json counts_by_source(const Counts& counts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (int origin = 0; origin < kDraftOriginCount; ++origin)
    json[to_string(static_cast<DraftOrigin>(origin))] = counts[origin];
  return json;
}

nlohmann::ordered_json to_json(const TaskRecord& record) {
  nlohmann::ordered_json json = {{"id", record.key.id},
                                 {"turn", record.key.turn},
                                 {"decoder", record.key.decoder},
                                 {"finish_reason", record.finish_reason}};
  visit_integers(record, [&](const char* key, const int& value) { json[key] = value; });
  visit_reals(record, [&](const char* key, const double& value) { json[key] = value; });
  json["tokens_per_pass"] = record.statistics.tokens_per_pass();
  json["acceptance_length"] = record.statistics.acceptance_length();
  visit_counts(
      record, [&](const char* key, const Counts& counts) { json[key] = counts_by_source(counts); });
  json["identical"] = record.identical;
  if (record.overlap) json["overlap"] = *record.overlap;
  if (record.passed) json["passed"] = *record.passed;
  if (!record.margins.empty()) json["margins"] = record.margins;
  if (!record.tokens.empty()) json["tokens"] = record.tokens;
  return json;
}

}  // namespace redraft
