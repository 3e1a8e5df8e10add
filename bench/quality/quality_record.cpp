#include "bench/quality/quality_record.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/quality/half.h"

namespace redraft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxCount = std::numeric_limits<int>::max();

// The members of the JSON objects: `visit(name, member)` for each.
template <typename Quality, typename Visit>
void for_each_cost(Quality& quality, const Visit& visit) {
  visit("prompt_tokens", quality.prompt_tokens);
  visit("new_tokens", quality.new_tokens);
  visit("passes", quality.passes);
  visit("prefill_seconds", quality.prefill_seconds);
  visit("decode_seconds", quality.decode_seconds);
}
template <typename Visit>
void for_each_member(EditQuality& edit, const Visit& visit) {
  visit("file_lines", edit.file_lines);
  visit("region_first", edit.region_first);
  visit("region_lines", edit.region_lines);
  visit("changed_lines", edit.changed_lines);
  visit("changed_lines_in_region", edit.changed_lines_in_region);
  visit("expected_hunks", edit.expected_hunks);
  visit("exact_hunks", edit.exact_hunks);
  visit("made_hunks", edit.made_hunks);
  visit("similarity", edit.similarity);
  visit("similarity_before", edit.similarity_before);
  visit("decision", edit.decision);
  visit("breaks_syntax", edit.breaks_syntax);
  visit("finish_reason", edit.finish_reason);
  visit("written", edit.written);
  visit("passed", edit.passed);
  for_each_cost(edit, visit);
}
template <typename Visit>
void for_each_member(CompletionQuality& completion, const Visit& visit) {
  visit("suggestions", completion.suggestions);
  visit("written", completion.written);
  for_each_cost(completion, visit);
}
template <typename Visit>
void for_each_member(NextEditQuality& next_edit, const Visit& visit) {
  visit("verdict", next_edit.verdict);
  visit("reverses", next_edit.reverses);
  visit("by_tree", next_edit.by_tree);
  visit("regions", next_edit.regions);
  visit("why_none", next_edit.why_none);
  visit("proposed", next_edit.proposed);
  for_each_cost(next_edit, visit);
}
template <typename Visit>
void for_each_member(Suggestion& suggestion, const Visit& visit) {
  visit("min_probability", suggestion.min_probability);
  visit("shown", suggestion.shown);
  visit("right", suggestion.right);
  visit("whole", suggestion.whole);
}

struct Writer {
  Json& json;

  template <typename Value>
  void operator()(const char* name, const Value& value) const {
    json[name] = value;
  }
  void operator()(const char* name, const std::optional<bool>& value) const {
    json[name] = value ? Json(*value) : Json();
  }
  void operator()(const char* name, const std::optional<std::string>& value) const {
    if (value) json[name] = *value;
  }
  void operator()(const char* name, Verdict verdict) const {
    json[name] = kVerdicts[static_cast<std::size_t>(verdict)];
  }
  void operator()(const char* name, const std::vector<Suggestion>& list) const {
    json[name] = Json::array();
    for (Suggestion each : list) {
      Json one;
      for_each_member(each, Writer{one});
      json[name].push_back(std::move(one));
    }
  }
};

// Reads members and keeps the first problem.
struct Reader {
  JsonValue object;
  std::optional<Error>& problem;

  void operator()(const char* name, int& out) const {
    take(
        name, [&](JsonValue v) { return v.integer(0, kMaxCount); },
        [&](std::int64_t n) { out = static_cast<int>(n); });
  }
  void operator()(const char* name, double& out) const {
    take(
        name, [](JsonValue v) { return v.number(); }, [&](double n) { out = n; });
  }
  void operator()(const char* name, bool& out) const {
    take(
        name, [](JsonValue v) { return v.boolean(); }, [&](bool flag) { out = flag; });
  }
  void operator()(const char* name, std::string& out) const {
    take(
        name, [](JsonValue v) { return v.text(); }, [&](std::string_view text) { out = text; });
  }
  void operator()(const char* name, std::optional<bool>& out) const {
    if (object.find(name)) (*this)(name, out.emplace());
  }
  void operator()(const char* name, std::optional<std::string>& out) const {
    if (object.find(name)) (*this)(name, out.emplace());
  }
  void operator()(const char* name, Verdict& out) const {
    std::string text;
    (*this)(name, text);
    const auto found = std::ranges::find(kVerdicts, std::string_view(text));
    if (found == std::end(kVerdicts)) return fail(object.error("has no known verdict"));
    out = static_cast<Verdict>(found - std::begin(kVerdicts));
  }
  void operator()(const char* name, std::vector<Suggestion>& out) const {
    take(
        name, [](JsonValue v) { return v.array(); },
        [&](JsonValue list) {
          for (const JsonValue each : list)
            for_each_member(out.emplace_back(), Reader{each, problem});
        });
  }
  void fail(const Error& error) const {
    if (!problem) problem = error;
  }

 private:
  template <typename Read, typename Use>
  void take(const char* name, const Read& read, const Use& use) const {
    const Result<JsonValue> value = object.at(name);
    if (!value) return fail(value.error());
    const auto read_value = read(*value);
    if (!read_value) return fail(read_value.error());
    use(*read_value);
  }
};

}  // namespace

const char* to_string(Measure measure) {
  switch (measure) {
    case Measure::kEdits:
      return "edits";
    case Measure::kCompletion:
      return "completion";
    case Measure::kNextEdits:
      break;
  }
  return "next-edits";
}

Json to_json(const QualityRecord& record) {
  Json json = {{"measure", to_string(record.key.measure)}, {"id", record.key.id}};
  if (!record.key.question.empty()) json["question"] = record.key.question;
  json["set"] = record.set;
  json["half"] = to_string(half_of(record.key.id));
  if (!record.left_out.empty()) json["left_out"] = record.left_out;
  auto result = record.result;
  std::visit(
      [&](auto& quality) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(quality)>, std::monostate>)
          for_each_member(quality, Writer{json});
      },
      result);
  return json;
}

Result<QualityRecord> parse_quality_record(JsonValue value) {
  std::optional<Error> problem;
  const Reader reader{value, problem};
  QualityRecord record;
  std::string measure;
  reader("measure", measure);
  reader("id", record.key.id);
  if (value.find("question")) reader("question", record.key.question);
  reader("set", record.set);
  const auto found = std::ranges::find(kMeasures, measure,
                                       [](Measure m) -> std::string_view { return to_string(m); });
  if (problem) return *problem;
  if (found == kMeasures.end()) return value.error("has no known measure");
  record.key.measure = *found;
  if (value.find("left_out")) {
    reader("left_out", record.left_out);
  } else if (*found == Measure::kEdits) {
    for_each_member(record.result.emplace<EditQuality>(), reader);
  } else if (*found == Measure::kCompletion) {
    for_each_member(record.result.emplace<CompletionQuality>(), reader);
  } else {
    for_each_member(record.result.emplace<NextEditQuality>(), reader);
  }
  if (problem) return *problem;
  return record;
}

}  // namespace redraft
