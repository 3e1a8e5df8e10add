#pragma once

#include <array>
#include <compare>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "bench/quality/completion_quality.h"
#include "bench/quality/edit_quality.h"
#include "bench/quality/next_edit_quality.h"
#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

enum class Measure { kEdits, kCompletion, kNextEdits };
inline constexpr std::array kMeasures = {Measure::kEdits, Measure::kCompletion,
                                         Measure::kNextEdits};
const char* to_string(Measure measure);  // "edits", "completion", "next-edits"

// Identifies one measurement.
struct QualityKey {
  Measure measure = Measure::kEdits;
  std::string id;        // the task's
  std::string question;  // which question, for next edits; otherwise empty
  auto operator<=>(const QualityKey&) const = default;  // NOLINT(modernize-use-nullptr): sees a 0
};

// One measurement, as the bench stores it.
struct QualityRecord {
  QualityKey key;
  std::string set;            // the task file's name without its ending
  std::string left_out = {};  // why it could not be measured; empty: it was measured
  std::variant<std::monostate, EditQuality, CompletionQuality, NextEditQuality> result = {};

  // Null: it belongs to another measure, or was left out.
  const EditQuality* edit() const { return std::get_if<EditQuality>(&result); }
  const CompletionQuality* completion() const { return std::get_if<CompletionQuality>(&result); }
  const NextEditQuality* next_edit() const { return std::get_if<NextEditQuality>(&result); }
};

nlohmann::ordered_json to_json(const QualityRecord& record);
// Reads an object that to_json() wrote. Untrusted: accepts any value and checks it.
Result<QualityRecord> parse_quality_record(JsonValue value);

}  // namespace redraft
