#pragma once

#include <optional>
#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "decoding/sampling.h"
#include "support/token.h"

namespace redraft {

// Chooses the tokens of one decode from the logits of its passes. It draws only in the rows that
// the output can reach: row 0, and the rows of draft nodes that equal the token drawn in their
// parent's row. One thread.
class Sampler {
 public:
  // `log_probabilities`: see DecodeRequest.
  Sampler(const SamplingOptions& options, std::optional<int> log_probabilities)
      : options_(options), log_probabilities_(log_probabilities) {}

  // Whether logits are needed. If not, passes need not predict them.
  bool reads_logits() const { return !options_.greedy() || log_probabilities_.has_value(); }

  // Begins a pass with this draft, which outlives it. Row 0 predicts token `index` of the output.
  void begin_pass(const DraftTree& draft, int index);
  // Called for all rows of the pass, in ascending order: see LogitReader.
  void read(int row, std::span<const float> logits);
  // Writes the drawn tokens into the predictions of their rows; the other rows stay as they are.
  void choose(Predictions& predictions) const;
  // The log probability of the token drawn in a row that the output reached; null unless requested.
  const EmittedLogProbability* log_probability(int row) const;

 private:
  struct Row {
    int index = 0;                     // of the token that it predicts
    std::optional<TokenId> drawn;      // nullopt: the output cannot reach this row
    EmittedLogProbability how_likely;  // if requested
  };

  SamplingOptions options_;
  std::optional<int> log_probabilities_;
  const DraftTree* draft_ = nullptr;
  std::vector<Row> rows_;
  std::vector<double> weights_;
};

}  // namespace redraft
