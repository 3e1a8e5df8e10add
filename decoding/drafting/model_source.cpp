#include "decoding/drafting/model_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace redraft {

ModelSource::ModelSource(ModelSlot slot, int gamma, std::span<const TokenId> stop_tokens,
                         std::stop_token stop)
    : slot_(slot),
      gamma_(gamma),
      stop_tokens_(stop_tokens.begin(), stop_tokens.end()),
      stop_(std::move(stop)) {}

DraftTree ModelSource::draft(std::span<const TokenId> context, int limit) {
  // The last proposed token is never run, so `gamma` of them need room for one less.
  const int room = slot_.cache->capacity() - static_cast<int>(context.size()) + 1;
  const int most = std::min({gamma_, limit, room});
  DraftTree draft;
  if (most <= 0) return draft;
  TokenId next = catch_up(context);
  while (next >= 0) {
    draft.add(next, draft.size() - 1, DraftOrigin::kModel);
    if (draft.size() >= most ||
        std::find(stop_tokens_.begin(), stop_tokens_.end(), next) != stop_tokens_.end())
      break;
    if (stop_.stop_requested()) return {};
    next = slot_.model
               ->forward({&next, 1}, DraftTree(), *slot_.cache, PredictionNeeds{.every_row = false})
               .argmax[0];
  }
  return draft;
}

TokenId ModelSource::catch_up(std::span<const TokenId> context) {
  slot_.cache->truncate_to_common_prefix(context.first(context.size() - 1));
  TokenId next = -1;
  while (slot_.cache->length() < static_cast<int>(context.size())) {
    if (stop_.stop_requested()) return -1;
    const auto rest = context.subspan(slot_.cache->length());
    const auto chunk = rest.first(std::min<std::size_t>(rest.size(), chunks_.rows()));
    const auto start = std::chrono::steady_clock::now();
    next =
        slot_.model->forward(chunk, DraftTree(), *slot_.cache, PredictionNeeds{.every_row = false})
            .argmax[0];
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    chunks_.measured(static_cast<int>(chunk.size()), took.count());
  }
  return next;
}

}  // namespace redraft
