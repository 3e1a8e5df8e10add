#pragma once

#include <functional>
#include <span>

#include "decoding/acceptance.h"
#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// Runs the target model once over a draft and decides what of it stands.
class Verifier {
 public:
  Verifier(LanguageModel& model, KvCache& cache) : model_(model), cache_(cache) {}

  // One forward pass. The cache must hold a prefix of `context`; what it lacks, at least the last
  // token, is run with the draft. Afterwards it holds the context and the accepted path, not yet
  // the target's own token at the end. `meanwhile`: see LanguageModel::verify().
  Acceptance verify(std::span<const TokenId> context, const DraftTree& draft,
                    const AcceptancePolicy& policy, const std::function<void()>& meanwhile = {});

  // Of the last pass: its rows, the seconds that the model took, and what it predicted.
  int rows() const { return rows_; }
  double seconds() const { return seconds_; }
  const Predictions& predictions() const { return predictions_; }

 private:
  LanguageModel& model_;
  KvCache& cache_;
  int rows_ = 0;
  double seconds_ = 0;
  Predictions predictions_;
};

}  // namespace redraft
