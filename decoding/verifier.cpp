#include "decoding/verifier.h"

#include <algorithm>
#include <cassert>

namespace redraft {

Acceptance Verifier::verify(std::span<const TokenId> context, const DraftTree& draft,
                            const AcceptancePolicy& policy,
                            const std::function<void()>& meanwhile) {
  assert(!context.empty());
  // The last token's row predicts what follows, so that token is run again if the cache already has
  // it (a correction that the phase did not keep).
  cache_.truncate(static_cast<int>(std::min<std::size_t>(cache_.length(), context.size() - 1)));
  const auto pending = context.subspan(cache_.length());
  const double start = model_.compute_seconds();
  rows_ = static_cast<int>(pending.size()) + draft.size();
  Acceptance accepted;
  if (policy.lossless()) {
    accepted = model_.verify(pending, draft, cache_, meanwhile, predictions_);
    seconds_ = model_.compute_seconds() - start;
  } else {
    predictions_ = model_.forward(pending, draft, cache_, policy.needs());
    seconds_ = model_.compute_seconds() - start;
    accepted = accept(draft, predictions_, policy);
    cache_.keep(accepted.path);
  }
  return accepted;
}

}  // namespace redraft
