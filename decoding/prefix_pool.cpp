// Why a cache that is found is sometimes moved and sometimes copied
//
// A lookup finds the cache that shares the longest prefix with the request's prompt. If the request
// gets that cache itself, cut to the shared prefix, the rest of it is lost. If it gets a copy of
// the shared prefix, the rest stays available to others, at the price of memory and of the time for
// copying.
//
// An example. A prompt has 40 tokens of fixed text, then a document of 2000, then the instruction.
//   - The next instruction for the same document shares 2040 tokens, and only the old instruction
//     would be lost: the pool hands out the cache itself.
//   - An instruction for another document shares 40 tokens, and the first document's 2000 would be
//     lost: the pool copies the 40, and both documents have a cache from then on.
//
// So the pool copies when the prompt that would be lost is longer than the part to copy.
#include "decoding/prefix_pool.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decoding/model_failure.h"

namespace redraft {

std::pair<PrefixPool::Kept::const_iterator, int> PrefixPool::longest(
    const LanguageModel& model, std::span<const TokenId> tokens) const {
  auto found = kept_.end();
  int shared = 0;
  for (auto each = kept_.begin(); each != kept_.end(); ++each) {
    if (each->model != &model) continue;
    const int usable = each->cache->usable_prefix(tokens);
    if (usable == 0 || usable < shared) continue;
    found = each;  // of several that share as much, the most recently used
    shared = usable;
  }
  return {found, shared};
}

int PrefixPool::known(const LanguageModel& model, std::span<const TokenId> tokens) const {
  return longest(model, tokens).second;
}

const KvCache* PrefixPool::find(const LanguageModel& model, std::span<const TokenId> tokens) const {
  const auto [found, shared] = longest(model, tokens);
  return shared > 0 ? found->cache.get() : nullptr;
}

bool PrefixPool::insert(const LanguageModel& model, int length,
                        const std::function<bool(KvCache&)>& fill) {
  std::unique_ptr<KvCache> cache = model.new_cache(capacity_);
  const std::size_t bytes = cache->bytes_of(length);
  if (length > capacity_ || bytes + lent_bytes_ > budget_) return false;
  make_room(bytes);
  if (!fill(*cache)) return false;
  kept_.push_back({&model, std::move(cache), length});
  return true;
}

PrefixPool::Lease PrefixPool::acquire(const LanguageModel& model, std::span<const TokenId> tokens) {
  const auto [found, shared] = longest(model, tokens);
  Sequence sequence = shared > 0 ? reuse(kept_.begin() + (found - kept_.cbegin()), shared, tokens)
                                 : Sequence{&model, model.new_cache(capacity_), 0};
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

// Text that the model wrote is rarely requested again as it is, so it does not count. Of the rest,
// more must be lost than has to be copied; so copies never take more memory than they save.
bool PrefixPool::worth_a_copy(const Sequence& sequence, int shared) {
  return std::min(sequence.cache->length(), sequence.asked) - shared > shared;
}

PrefixPool::Sequence PrefixPool::reuse(Kept::iterator found, int shared,
                                       std::span<const TokenId> tokens) {
  const KvCache& cache = *found->cache;
  const int needed = std::min(static_cast<int>(tokens.size()), capacity_);
  // Both have to fit, or the copy would only displace what it was made from.
  const std::size_t together = cache.bytes() + cache.bytes_of(needed) + lent_bytes_;
  if (worth_a_copy(*found, shared) && together <= budget_) {
    try {
      Sequence copy{found->model, cache.fork(shared), 0};
      ++counts_.forks;
      return copy;
    } catch (const ModelFailure&) {
      // The model's device has no memory for a copy: the request gets the cache itself.
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
  // Keeps the beginning of a sequence that is too long for the budget.
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
  statistics.budget = budget_;
  return statistics;
}

}  // namespace redraft
