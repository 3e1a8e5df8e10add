#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "bench/methods/search_counts.h"
#include "decoding/statistics.h"
#include "support/json/json_document.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// Identifies one decode.
struct RecordKey {
  std::string id;  // the task's
  int turn = 1;    // within a dialogue, from 1
  std::string decoder;
  auto operator<=>(const RecordKey&) const = default;  // NOLINT(modernize-use-nullptr): sees a 0
};

// One decode, as the bench stores it.
struct TaskRecord {
  RecordKey key;
  std::string finish_reason;
  DecodeStatistics statistics;
  SearchCounts searches;      // by decoders that retrieve
  double seconds = 0;         // of decoding; in a replay, the priced ones
  double priced_seconds = 0;  // price of the passes, by rows, context and the cost curve
  bool identical = true;      // whether tokens and end are those of plain decoding
  // Share of the output's tokens that are in the original, in order.
  std::optional<double> overlap;
  std::optional<bool> passed;  // the task's tests
  std::optional<double>
      edit_similarity;   // similarity to the task's reference; see edit_similarity.h
  std::string category;  // the task's category or repository; empty: none
  // Passes by their rows, without those of the prompt: rows, number, rows, number, …, the fewest
  // rows first. The chunks of one draft are one pass. Any cost curve can price them. Empty in the
  // records of an earlier redraft.
  std::vector<int> passes_by_rows;
  std::vector<TokenId>
      tokens;                // the output, for plain decoding and for decodes that differ from it
  std::vector<int> margins;  // see margins.h; only for plain decoding; empty: not requested
};

// Reads an object that to_json() wrote. Untrusted: accepts any value and checks it.
Result<TaskRecord> parse_record(JsonValue value);

}  // namespace redraft
