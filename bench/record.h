#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "decoding/statistics.h"
#include "support/json/json_document.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// What one decode is known by.
struct RecordKey {
  std::string id;  // the task's
  int turn = 1;    // of a dialogue, from 1
  std::string decoder;
  auto operator<=>(const RecordKey&) const = default;  // NOLINT(modernize-use-nullptr): sees a 0
};

// One decode, as the bench keeps it.
struct TaskRecord {
  RecordKey key;
  std::string finish_reason;
  DecodeStatistics statistics;
  double seconds = 0;         // of decoding; of a replay the priced ones
  double priced_seconds = 0;  // what the passes cost by their rows, context and the cost curve
  bool identical = true;      // tokens and end are those of plain decoding
  std::optional<double>
      overlap;                  // share of the output's tokens that stand in the original, in order
  std::optional<bool> passed;   // the task's tests
  std::vector<TokenId> tokens;  // the output, of plain decoding and of what differs from it
  std::vector<int> margins;     // see margins.h; of plain decoding alone, empty: not asked for
};

// Of an object that to_json_line wrote, or anything else: hostile until checked.
Result<TaskRecord> parse_record(JsonValue value);

}  // namespace redraft
