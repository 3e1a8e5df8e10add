// A cache that is found is handed on as it is, cut to what the request shares with it, or copied so
// far and kept: the next instruction for a text takes the cache of the one before, while another
// document, which shares only the first lines of the prompt, leaves it alone.
#include "decoding/prefix_pool.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decoding/model_failure.h"

namespace redraft {

PrefixPool::Lease PrefixPool::acquire(const LanguageModel& model, std::span<const TokenId> tokens) {
  auto found = kept_.end();
  int shared = 0;
  for (auto each = kept_.begin(); each != kept_.end(); ++each) {
    if (each->model != &model) continue;
    const int common = each->cache->common_prefix(tokens);
    if (common == 0 || common < shared) continue;
    found = each;  // of several as long the most recent one
    shared = common;
  }
  Sequence sequence =
      shared > 0 ? reuse(found, shared, tokens) : Sequence{&model, model.new_cache(capacity_), 0};
  sequence.asked = static_cast<int>(tokens.size());
  ++counts_.lookups;
  counts_.hits += shared > 0 ? 1 : 0;
  counts_.asked_tokens += static_cast<std::int64_t>(tokens.size());
  counts_.reused_tokens += shared;
  const std::size_t bytes = sequence.cache->bytes_of(std::min(sequence.asked, capacity_));
  make_room(bytes);
  lent_bytes_ += bytes;
  return {this, std::move(sequence), bytes};
}

// What the model wrote is hardly ever asked for again as it stands, so it counts for nothing. Of
// the rest, what would be lost must be more than what has to be copied: copies then never take more
// memory than they save.
bool PrefixPool::worth_a_copy(const Sequence& sequence, int shared) {
  return std::min(sequence.cache->length(), sequence.asked) - shared > shared;
}

PrefixPool::Sequence PrefixPool::reuse(Kept::iterator found, int shared,
                                       std::span<const TokenId> tokens) {
  const KvCache& cache = *found->cache;
  const int needed = std::min(static_cast<int>(tokens.size()), capacity_);
  // Together they have to fit, or the copy would only push out what it was made from.
  const std::size_t together = cache.bytes() + cache.bytes_of(needed) + lent_bytes_;
  if (worth_a_copy(*found, shared) && together <= budget_) {
    try {
      Sequence copy{found->model, cache.fork(shared), 0};
      ++counts_.forks;
      return copy;
    } catch (const ModelFailure&) {
      // There is no memory for a copy where the model runs: the request gets the cache itself.
    }
  }
  Sequence taken = std::move(*found);
  kept_.erase(found);
  taken.cache->truncate(shared);
  return taken;
}

void PrefixPool::give_back(Sequence sequence, std::size_t lent_bytes) {
  lent_bytes_ -= lent_bytes;
  KvCache& cache = *sequence.cache;
  // Of a sequence that is too long for the budget the beginning is kept.
  const std::size_t room = budget_ - std::min(budget_, lent_bytes_);
  int fits = 0;
  for (int too_long = cache.length() + 1; too_long - fits > 1;) {
    const int length = std::midpoint(fits, too_long);
    (cache.bytes_of(length) <= room ? fits : too_long) = length;
  }
  cache.truncate(fits);
  cache.trim();
  if (cache.length() == 0) return;
  make_room(cache.bytes());
  kept_.push_back(std::move(sequence));
}

void PrefixPool::make_room(std::size_t bytes) {
  while (!kept_.empty() && kept_bytes() + lent_bytes_ + bytes > budget_) {
    kept_.erase(kept_.begin());
    ++counts_.evictions;
  }
}

void PrefixPool::clear() { kept_.clear(); }

bool PrefixPool::shrink() {
  if (kept_.empty()) return false;
  kept_.erase(kept_.begin());
  ++counts_.evictions;
  budget_ = std::min(budget_, kept_bytes() + lent_bytes_);
  return true;
}

std::size_t PrefixPool::kept_bytes() const {
  std::size_t bytes = 0;
  for (const Sequence& each : kept_) bytes += each.cache->bytes();
  return bytes;
}

PrefixPool::Statistics PrefixPool::statistics() const {
  Statistics statistics = counts_;
  statistics.caches = static_cast<int>(kept_.size());
  statistics.bytes = kept_bytes();
  return statistics;
}

}  // namespace redraft
