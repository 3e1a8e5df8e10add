#include "decoding/verifier.h"

#include <algorithm>
#include <cassert>

namespace redraft {

// The last token's row predicts what follows, so that token is run again if the cache already has
// it (a correction that the phase did not keep). A cache with state may have to go back further.
std::span<const TokenId> Verifier::pending(std::span<const TokenId> context) {
  assert(!context.empty());
  cache_.truncate(static_cast<int>(std::min<std::size_t>(cache_.length(), context.size() - 1)));
  return context.subspan(cache_.length());
}

Acceptance Verifier::verify(std::span<const TokenId> context, const DraftTree& draft,
                            const LossyRule* lossy, const std::function<void()>& meanwhile) {
  const std::span<const TokenId> pending = this->pending(context);
  if (lossy != nullptr) return verify_here(pending, draft, lossy, lossy->needs(), nullptr);
  const double start = model_.compute_seconds();
  rows_ = static_cast<int>(pending.size()) + draft.size();
  Acceptance accepted = model_.verify(pending, draft, cache_, meanwhile, predictions_);
  seconds_ = model_.compute_seconds() - start;
  return accepted;
}

Acceptance Verifier::verify(std::span<const TokenId> context, const DraftTree& draft,
                            Sampler& sampler) {
  const LogitReader read = [&sampler](int row, std::span<const float> logits) {
    sampler.read(row, logits);
  };
  return verify_here(pending(context), draft, nullptr, {.logits = &read}, &sampler);
}

Acceptance Verifier::verify_here(std::span<const TokenId> pending, const DraftTree& draft,
                                 const LossyRule* lossy, const PredictionNeeds& needs,
                                 const Sampler* sampler) {
  const double start = model_.compute_seconds();
  rows_ = static_cast<int>(pending.size()) + draft.size();
  predictions_ = model_.forward(pending, draft, cache_, needs);
  seconds_ = model_.compute_seconds() - start;
  if (sampler != nullptr) sampler->choose(predictions_);
  Acceptance accepted = accept(draft, predictions_, lossy);
  cache_.keep(accepted.path);
  return accepted;
}

}  // namespace redraft
