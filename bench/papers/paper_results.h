#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/papers/paper_table.h"
#include "bench/record.h"
#include "bench/summary.h"
#include "decoding/cost_curve.h"
#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// What a run's settings say, as far as a table tells it.
struct RunFacts {
  std::string target;
  std::string draft;  // empty: the default one
  std::string machine;
  int threads = 0;
  int limit = 0;  // tasks; 0: all
  // What differs from the PaperRun: "512 tokens at most, not 1024".
  std::vector<std::string> differences;
};

// The results of one run: what `redraft bench KIND --out` wrote.
class PaperResults {
 public:
  // Reads a report; not trusted until checked. The error says if it is another kind of bench or of
  // other tasks than `run`'s, or damaged.
  static Result<PaperResults> open(const std::filesystem::path& file, const PaperRun& run);
  static Result<PaperResults> parse(const JsonDocument& report, const PaperRun& run);

  const RunFacts& facts() const { return facts_; }
  const std::vector<TaskRecord>& records() const { return records_; }
  bool has(const std::string& decoder) const;
  // Why a decoder did not run; empty: nothing is known of that.
  std::string why_left_out(const std::string& decoder) const;
  // In the order in which they ran.
  std::vector<std::string> decoders() const;
  // What a cell says; nothing where that was not measured or counted.
  std::optional<double> value(PaperMetric metric, const CellOf& cell) const;
  // How many times fewer seconds a token takes than in plain decoding if a pass costs what
  // `curve` says for its rows, and a token of a draft model `draft_cost` passes of one row.
  std::optional<double> priced_speedup(const CellOf& cell, const CostCurve& curve,
                                       double draft_cost) const;
  const DecoderSummary* summary(const CellOf& cell) const;  // null: there is none

 private:
  using Selection = std::pair<int, std::string>;  // turn and category
  const std::vector<DecoderSummary>& summaries(const CellOf& cell) const;

  RunFacts facts_;
  std::vector<TaskRecord> records_;
  std::map<std::string, std::string> left_out_;  // reason, by decoder or task
  mutable std::map<Selection, std::vector<DecoderSummary>> summaries_;
};

}  // namespace redraft
