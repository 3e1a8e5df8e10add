#include "decoding/language_model.h"

#include <algorithm>
#include <chrono>

namespace redraft {
namespace {

constexpr int kFillRows = 64;  // of one pass

}  // namespace

double LanguageModel::compute_seconds() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

PassWork LanguageModel::work(int, int) const { return {}; }

std::unique_ptr<KvCache> LanguageModel::filled_cache(int capacity, int length) {
  std::unique_ptr<KvCache> cache = new_cache(capacity);
  while (cache->length() < length) {
    const std::vector<TokenId> some(std::min(kFillRows, length - cache->length()), 0);
    forward(some, DraftTree(), *cache, {.every_row = false});
  }
  return cache;
}

}  // namespace redraft
