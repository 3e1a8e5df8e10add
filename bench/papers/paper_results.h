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

// The settings of a run that a table reports.
struct RunFacts {
  std::string target;
  std::string draft;  // empty: the default one
  std::string machine;
  int threads = 0;
  int limit = 0;  // tasks; 0: all
  // Differences from the PaperRun: "512 tokens at most, not 1024".
  std::vector<std::string> differences;
};

// The results of one run: the output of `redraft bench KIND --out`.
class PaperResults {
 public:
  // Reads an untrusted report. The error says if it is another kind of bench, has other tasks than
  // `run`, or is damaged.
  static Result<PaperResults> open(const std::filesystem::path& file, const PaperRun& run);
  static Result<PaperResults> parse(const JsonDocument& report, const PaperRun& run);

  const RunFacts& facts() const { return facts_; }
  const std::vector<TaskRecord>& records() const { return records_; }
  bool has(const std::string& decoder) const;
  // Why a decoder did not run; empty: unknown.
  std::string why_left_out(const std::string& decoder) const;
  // In the order in which they ran.
  std::vector<std::string> decoders() const;
  // The value of a cell; nullopt if it was not measured or counted.
  std::optional<double> value(PaperMetric metric, const CellOf& cell) const;
  // The speed-up over plain decoding per token if a pass costs what `curve` says for its rows, and
  // a token of a draft model costs `draft_cost` passes of one row.
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
