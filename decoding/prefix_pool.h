#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "decoding/kv_cache.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// The KV caches of earlier requests, found by their tokens. A prompt only pays for the part after
// the longest prefix that it shares with one of them. Their memory stays within a budget: the least
// recently used cache is dropped first, but never one that is lent. One thread at a time: the
// decode thread.
class PrefixPool {
 public:
  class Lease;

  struct Statistics {
    std::int64_t lookups = 0;
    std::int64_t hits = 0;  // lookups that found at least one token
    std::int64_t asked_tokens = 0;
    std::int64_t reused_tokens = 0;  // in those lookups
    std::int64_t forks = 0;          // hits that copied, and left the original cache in the pool
    std::int64_t evictions = 0;
    int caches = 0;         // currently kept
    std::size_t bytes = 0;  // held by those
    std::size_t budget = 0;
  };

  // Every cache has room for `capacity` tokens. `budget` is in bytes, for kept and lent caches
  // together. Only a lent cache that outgrows its tokens can exceed it, until it comes back. 0
  // keeps nothing.
  PrefixPool(int capacity, std::size_t budget) : capacity_(capacity), budget_(budget) {}
  PrefixPool(const PrefixPool&) = delete;
  PrefixPool& operator=(const PrefixPool&) = delete;

  // A cache of `model` that holds the longest known beginning of `tokens`, which may be empty. A
  // beginning is known if a cache can be cut to it (KvCache::usable_prefix). What else the cache
  // holds stays in the pool if that is worth a copy. `model` outlives the pool, the
  // pool the lease.
  Lease acquire(const LanguageModel& model, std::span<const TokenId> tokens);
  // How many tokens of the longest known prefix of `tokens` are kept and not lent.
  int known(const LanguageModel& model, std::span<const TokenId> tokens) const;
  // The cache that acquire() would find now, where it is: valid until the next call of anything
  // else. Null: none has a beginning of `tokens`.
  const KvCache* find(const LanguageModel& model, std::span<const TokenId> tokens) const;
  // Adds a cache of `length` tokens that `fill` loads from another source, if the budget has room
  // for it. Drops it if `fill` returns false. Returns whether it was added.
  bool insert(const LanguageModel& model, int length, const std::function<bool(KvCache&)>& fill);
  // Drops every cache that is not lent.
  void clear();
  // For a caller that has run out of memory: drops the least recently used cache and lowers the
  // budget to what is left. False: all caches are lent.
  bool shrink();

  Statistics statistics() const;

 private:
  struct Sequence {
    const LanguageModel* model;
    std::unique_ptr<KvCache> cache;
    int asked;  // tokens it was acquired for; the model wrote what it holds beyond them
  };
  using Kept = std::vector<Sequence>;

  // kept_.end() and 0 if no cache shares a token.
  std::pair<Kept::const_iterator, int> longest(const LanguageModel& model,
                                               std::span<const TokenId> tokens) const;
  static bool worth_a_copy(const Sequence& sequence, int shared);
  Sequence reuse(Kept::iterator found, int shared, std::span<const TokenId> tokens);
  void give_back(Sequence sequence, std::size_t lent_bytes);
  // Drops the least recently used caches until `bytes` more fit or none is left.
  void make_room(std::size_t bytes);
  std::size_t kept_bytes() const;

  int capacity_;
  std::size_t budget_;
  Kept kept_;  // the most recently used last
  std::size_t lent_bytes_ = 0;
  Statistics counts_;
};

// A cache for the duration of one request. Its contents return to the pool at the end.
class PrefixPool::Lease {
 public:
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (sequence_.cache) pool_->give_back(std::move(sequence_), bytes_);
  }
  KvCache& cache() const { return *sequence_.cache; }
  // Continues with another cache of the same model; the contents of this one are discarded.
  void replace(std::unique_ptr<KvCache> cache) { sequence_.cache = std::move(cache); }

 private:
  friend class PrefixPool;
  Lease(PrefixPool* pool, Sequence sequence, std::size_t bytes)
      : pool_(pool), sequence_(std::move(sequence)), bytes_(bytes) {}

  PrefixPool* pool_;
  Sequence sequence_;
  std::size_t bytes_;  // the share of the budget set aside for it
};

}  // namespace redraft
