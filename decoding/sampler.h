#pragma once

#include <optional>
#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "decoding/sampling.h"
#include "support/token.h"

namespace redraft {

// Chooses the tokens of one decode from the logits of its passes. Of a pass it draws only in the
// rows that the output may come to: row 0, and those of draft nodes that are what was drawn in the
// row before them. One thread.
class Sampler {
 public:
  // `log_probabilities`: see DecodeRequest.
  Sampler(const SamplingOptions& options, std::optional<int> log_probabilities)
      : options_(options), log_probabilities_(log_probabilities) {}

  // Whether there is anything to do: otherwise passes need not predict logits.
  bool reads_logits() const { return !options_.greedy() || log_probabilities_.has_value(); }

  // A pass with this draft, which outlives it: row 0 predicts token `index` of the output.
  void begin_pass(const DraftTree& draft, int index);
  // All rows of the pass, in ascending order: see LogitReader.
  void read(int row, std::span<const float> logits);
  // Makes what was drawn the predictions of its rows; those of the other rows stay as they are.
  void choose(Predictions& predictions) const;
  // Of what was drawn in a row that the output came to; null unless they were requested.
  const EmittedLogProbability* log_probability(int row) const;

 private:
  struct Row {
    int index = 0;                     // of the token that it predicts
    std::optional<TokenId> drawn;      // none: the output does not come here
    EmittedLogProbability how_likely;  // if requested
  };

  SamplingOptions options_;
  std::optional<int> log_probabilities_;
  const DraftTree* draft_ = nullptr;
  std::vector<Row> rows_;
  std::vector<double> weights_;
};

}  // namespace redraft
