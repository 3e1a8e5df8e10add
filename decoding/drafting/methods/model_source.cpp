#include "decoding/drafting/methods/model_source.h"

#include <algorithm>
#include <utility>

namespace redraft {

ModelSource::ModelSource(ModelSlot slot, int gamma, std::span<const TokenId> stop_tokens,
                         std::stop_token stop)
    : slot_(slot),
      gamma_(gamma),
      stop_tokens_(stop_tokens.begin(), stop_tokens.end()),
      stop_(stop),
      reader_(slot, std::move(stop)) {}

DraftTree ModelSource::draft(std::span<const TokenId> context, int limit) {
  // The last proposed token is not run, so `gamma` tokens need room for one fewer.
  const int room = slot_.cache->capacity() - static_cast<int>(context.size()) + 1;
  const int most = std::min({gamma_, limit, room});
  DraftTree draft;
  if (most <= 0 || !reader_.catch_up(context)) return draft;
  const auto is_stop = [&](TokenId token) { return std::ranges::count(stop_tokens_, token) > 0; };
  std::vector<TokenId> written;
  for (auto rest = context.subspan(static_cast<std::size_t>(slot_.cache->length()));;
       rest = std::span(written).last(1)) {
    if (stop_.stop_requested()) return {};
    const int count = std::min(most - draft.size(), slot_.model->steps_at_once());
    written = slot_.model->continue_greedily(rest, count, *slot_.cache);
    for (const TokenId token : written) {
      draft.add(token, draft.size() - 1, DraftOrigin::kModel);
      if (is_stop(token) || draft.size() == most) return draft;
    }
  }
}

}  // namespace redraft
