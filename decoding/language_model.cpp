#include "decoding/language_model.h"

#include <algorithm>
#include <chrono>

#include "decoding/acceptance.h"

namespace redraft {
namespace {

constexpr int kFillRows = 64;  // of one pass

}  // namespace

double LanguageModel::compute_seconds() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Acceptance LanguageModel::verify(std::span<const TokenId> context, const DraftTree& draft,
                                 KvCache& cache, const std::function<void()>& /*meanwhile*/,
                                 Predictions& predictions) {
  predictions = forward(context, draft, cache, {});
  Acceptance accepted = accept(draft, predictions, {});
  cache.keep(accepted.path);
  return accepted;
}

std::vector<TokenId> LanguageModel::continue_greedily(std::span<const TokenId> context, int count,
                                                      KvCache& cache) {
  std::vector<TokenId> written;
  for (auto rest = context; static_cast<int>(written.size()) < count;
       rest = std::span(written).last(1))
    written.push_back(forward(rest, DraftTree(), cache, {.every_row = false}).argmax[0]);
  return written;
}

std::unique_ptr<KvCache> LanguageModel::filled_cache(int capacity, int length) {
  std::unique_ptr<KvCache> cache = new_cache(capacity);
  while (cache->length() < length) {
    const std::vector<TokenId> some(std::min(kFillRows, length - cache->length()), 0);
    forward(some, DraftTree(), *cache, {.every_row = false});
  }
  return cache;
}

}  // namespace redraft
