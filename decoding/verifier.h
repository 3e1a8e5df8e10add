#pragma once

#include <functional>
#include <span>

#include "decoding/acceptance.h"
#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "decoding/sampler.h"
#include "support/token.h"

namespace redraft {

// Runs the target model once over a draft and decides which draft tokens are accepted.
class Verifier {
 public:
  Verifier(LanguageModel& model, KvCache& cache) : model_(model), cache_(cache) {}

  // Runs one forward pass. The cache must hold a prefix of `context`; the tokens that it lacks, at
  // least the last one, run together with the draft. Afterwards it holds the context and the
  // accepted path, but not yet the target's own token at the end. `meanwhile`: see
  // LanguageModel::verify(); it is not called when logits are read.
  Acceptance verify(std::span<const TokenId> context, const DraftTree& draft,
                    const LossyRule* lossy, const std::function<void()>& meanwhile = {});
  // The same by the strict rule, where `sampler` chooses what the target's tokens are; its pass
  // with this draft has begun.
  Acceptance verify(std::span<const TokenId> context, const DraftTree& draft, Sampler& sampler);

  // For the last pass: its rows, the seconds that the model took, and its predictions.
  int rows() const { return rows_; }
  double seconds() const { return seconds_; }
  const Predictions& predictions() const { return predictions_; }

 private:
  // The part of the context that the cache lacks.
  std::span<const TokenId> pending(std::span<const TokenId> context);
  // Accepts by the predictions of forward(); `sampler` may be null.
  Acceptance verify_here(std::span<const TokenId> pending, const DraftTree& draft,
                         const LossyRule* lossy, const PredictionNeeds& needs,
                         const Sampler* sampler);

  LanguageModel& model_;
  KvCache& cache_;
  int rows_ = 0;
  double seconds_ = 0;
  Predictions predictions_;
};

}  // namespace redraft
