#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <random>

#include "decoding/model/transformer_memory.h"
#include "decoding/prefix_pool.h"
#include "tests/decoding/model/row_invariance.h"

namespace redraft {

// Whatever happens to the caches of a pool, each is at any time as if its tokens had been run at
// once in a new cache: the same bits in every key and value, and the same prediction after them.
class CacheHistory {
 public:
  // At most `longest` tokens per sequence. The budget holds about three of them, with their copies
  // of the state.
  CacheHistory(LanguageModel& model, std::uint32_t seed, int longest)
      : model_(model),
        random_(seed),
        longest_(longest),
        has_state_(model.new_cache(1)->storage()->state() != nullptr),
        pool_(longest + kMaxNodes + 2, 3 * bytes_of_one(model, longest)) {}

  // One random action: a request begins or ends, or its cache changes.
  void step() {
    const int choice = below(12);
    if (requests_.empty() || (choice == 0 && requests_.size() < 2)) {
      begin_request();
    } else if (choice == 1) {
      requests_.erase(std::next(requests_.begin(), below(static_cast<int>(requests_.size()))));
    } else {
      change(choice);
    }
  }

  // Compares the cache that changed last with a new one.
  void check() {
    if (requests_.empty()) return;
    KvCache& cache = requests_.back().cache();
    if (cache.length() == 0 || cache.length() > longest_) return;
    const std::unique_ptr<KvCache> fresh = model_.new_cache(cache.capacity());
    model_.forward(cache.tokens(), {}, *fresh, {.every_row = false});
    EXPECT_TRUE(same_rows(cache, *fresh)) << "keys and values of " << cache.length() << " tokens";
    poison(cache);
    const TokenId probe = below(model_.vocabulary_size());
    const RowBits expected = prefill(model_, *fresh, {&probe, 1}, 1);
    if (has_state_) {  // which the probe would change
      EXPECT_TRUE(prefill(model_, *cache.fork(cache.length()), {&probe, 1}, 1) == expected);
      return;
    }
    EXPECT_TRUE(prefill(model_, cache, {&probe, 1}, 1) == expected) << "prediction";
    cache.truncate(cache.length() - 1);
  }

  const PrefixPool& pool() const { return pool_; }

  static bool same_rows(KvCache& a, KvCache& b) {
    const auto& rows_a = static_cast<TransformerKvStorage&>(*a.storage());
    const auto& rows_b = static_cast<TransformerKvStorage&>(*b.storage());
    const auto bytes = [&](const at::Tensor& tensor) {
      return static_cast<std::size_t>(a.length() * tensor.stride(1)) * sizeof(std::int16_t);
    };
    const auto same = [&](const at::Tensor& x, const at::Tensor& y) {
      for (std::int64_t head = 0; head < x.size(0); ++head) {
        if (std::memcmp(x.const_data_ptr<std::int16_t>() + head * x.stride(0),
                        y.const_data_ptr<std::int16_t>() + head * y.stride(0), bytes(x)) != 0)
          return false;
      }
      return true;
    };
    for (int layer = 0; layer < rows_a.layers(); ++layer) {
      if (rows_a.is_windowed(layer)) continue;  // a part of the state
      if (!same(rows_a.keys(layer), rows_b.keys(layer))) return false;
      if (!same(rows_a.values(layer), rows_b.values(layer))) return false;
    }
    return state_of(a) == state_of(b);
  }

 private:
  static constexpr int kMaxNodes = 12;
  static constexpr std::size_t kCopies = 3;

  static std::size_t bytes_of_one(LanguageModel& model, int longest) {
    const std::unique_ptr<KvCache> cache = model.new_cache(longest + kMaxNodes + 2);
    const SequenceState* const state = cache->storage()->state();
    return cache->bytes_of(longest) + (state ? kCopies * state->bytes() : 0);
  }

  // The bytes of what there is beside rows for every token.
  static std::vector<std::byte> state_of(const KvCache& cache) {
    const SequenceState* const state = cache.storage()->state();
    if (!state) return {};
    std::vector<std::byte> bytes(state->bytes());
    state->copy_out(cache.length(), bytes);
    return bytes;
  }

  std::uint32_t seed() { return static_cast<std::uint32_t>(random_()); }
  int below(int limit) {
    return static_cast<int>(seed() % static_cast<std::uint32_t>(std::max(limit, 1)));
  }

  // Nothing above the committed length may ever be read; if it were, this would be noticed.
  static void poison(KvCache& cache) {
    auto& storage = static_cast<TransformerKvStorage&>(*cache.storage());
    for (int layer = 0; layer < storage.layers(); ++layer) {
      for (const at::Tensor* tensor : {&storage.keys(layer), &storage.values(layer)}) {
        for (std::int64_t head = 0; head < tensor->size(0); ++head) {
          std::int16_t* slots = tensor->mutable_data_ptr<std::int16_t>() + head * tensor->stride(0);
          const auto first = storage.is_windowed(layer) ? storage.windows()->lowest() : 0;
          for (std::int64_t slot = 0; slot < tensor->size(1); ++slot) {
            // The first position at or above `first` that is in this slot.
            const std::int64_t position =
                first + (slot - first % tensor->size(1) + tensor->size(1)) % tensor->size(1);
            if (position >= cache.length())
              std::fill_n(slots + slot * tensor->stride(1), tensor->stride(1), -1);  // NaN as scale
          }
        }
      }
    }
  }

  // Prompts share a beginning of any length with each other; if there is state, of one of a few
  // lengths, where it is remembered.
  void begin_request() {
    std::vector<TokenId> prompt = random_tokens(model_, below(longest_) + 1, 1);
    auto shared = static_cast<std::size_t>(below(static_cast<int>(prompt.size())));
    if (has_state_) shared -= shared % static_cast<std::size_t>(longest_ / 4);
    for (std::size_t i = shared; i < prompt.size(); ++i)
      prompt[i] = below(model_.vocabulary_size());
    requests_.push_back(pool_.acquire(model_, prompt));
    KvCache& cache = requests_.back().cache();
    ASSERT_TRUE(std::equal(cache.tokens().begin(), cache.tokens().end(), prompt.begin()));
    const auto known = static_cast<std::size_t>(cache.length());
    if (known < shared) run(cache, std::span(prompt).subspan(known, shared - known));
    cache.remember();
    run(cache, std::span(prompt).subspan(static_cast<std::size_t>(cache.length())));
  }

  void run(KvCache& cache, std::span<const TokenId> tokens) {
    poison(cache);
    while (!tokens.empty()) {
      const auto chunk =
          tokens.first(std::min(tokens.size(), static_cast<std::size_t>(1 + below(longest_ / 2))));
      model_.forward(chunk, {}, cache, {.every_row = false});
      tokens = tokens.subspan(chunk.size());
    }
  }

  void change(int choice) {
    KvCache& cache = requests_.back().cache();
    if (choice < 4 || cache.length() >= longest_) {
      cache.truncate(below(cache.length() + 1));
    } else if (choice < 6) {
      run(cache, random_tokens(model_, 1 + below(longest_ - cache.length()), seed()));
    } else if (choice == 6) {
      const std::unique_ptr<KvCache> fork = cache.fork(below(cache.length() + 1));
      run(*fork, random_tokens(model_, 1 + below(longest_ - fork->length()), seed()));
    } else {
      verify_tree(cache);
    }
  }

  void verify_tree(KvCache& cache) {
    poison(cache);
    const DraftTree tree = random_tree(model_, below(kMaxNodes + 1), seed());
    const TokenId next = below(model_.vocabulary_size());
    model_.forward({&next, 1}, tree, cache, {});
    if (below(8) > 0) cache.keep(path_to(tree, below(tree.size() + 1) - 1));
  }

  LanguageModel& model_;
  std::mt19937 random_;
  int longest_;
  bool has_state_;
  PrefixPool pool_;
  std::list<PrefixPool::Lease> requests_;
};

inline void check_cache_histories(LanguageModel& model, int seeds, int steps, int longest) {
  PrefixPool::Statistics sum;
  for (int seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    CacheHistory history(model, static_cast<std::uint32_t>(seed), longest);
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      history.step();
      history.check();
    }
    sum.hits += history.pool().statistics().hits;
    sum.forks += history.pool().statistics().forks;
    sum.evictions += history.pool().statistics().evictions;
  }
  EXPECT_GT(sum.hits, 0);
  EXPECT_GT(sum.forks, 0);
  EXPECT_GT(sum.evictions, 0);
}

// The comparison can fail: rows of another token, or of the same token at another position, differ.
inline void check_cache_comparison(LanguageModel& model) {
  const std::vector<TokenId> tokens = random_tokens(model, 9, 3);
  const auto cache_of = [&](std::span<const TokenId> each) {
    std::unique_ptr<KvCache> cache = model.new_cache(16);
    model.forward(each, {}, *cache, {.every_row = false});
    return cache;
  };
  const auto cache = cache_of(tokens);
  EXPECT_TRUE(CacheHistory::same_rows(*cache, *cache_of(tokens)));
  std::vector<TokenId> changed = tokens;
  changed.back() = (changed.back() + 1) % model.vocabulary_size();
  EXPECT_FALSE(CacheHistory::same_rows(*cache, *cache_of(changed)));
  const auto moved = cache->fork(9);
  moved->storage()->move_slot(8, 7);
  EXPECT_FALSE(CacheHistory::same_rows(*cache, *moved));
}

// When a cache is truncated, memory goes back to the system, and the accounting follows page by
// page.
inline void check_cache_memory(LanguageModel& model) {
  constexpr int kTokens = 400;
  const std::unique_ptr<KvCache> cache = model.new_cache(512);
  const std::vector<TokenId> tokens = random_tokens(model, kTokens, 4);
  prefill(model, *cache, tokens, 100);
  EXPECT_EQ(cache->bytes(), cache->bytes_of(kTokens));
  auto& storage = static_cast<TransformerKvStorage&>(*cache->storage());
  const at::Tensor& keys = storage.keys(0);
  EXPECT_GE(cache->bytes(),
            static_cast<std::size_t>(storage.layers() * 2 * kTokens * keys.size(0) * keys.size(2)) *
                sizeof(std::int16_t));
  const auto is_zero = [](const at::Tensor& tensor, int slot) {
    const std::int16_t* at = tensor.const_data_ptr<std::int16_t>() +
                             (tensor.size(0) - 1) * tensor.stride(0) + slot * tensor.stride(1);
    return std::all_of(at, at + tensor.size(2), [](std::int16_t value) { return value == 0; });
  };
  const int last = storage.layers() - 1;
  ASSERT_FALSE(is_zero(storage.values(last), kTokens - 1));
  cache->truncate(10);
  EXPECT_EQ(cache->bytes(), cache->bytes_of(10));
  EXPECT_LT(cache->bytes_of(10), cache->bytes_of(kTokens) / 2);
  // Fresh pages are zero: the old ones are gone.
  for (const at::Tensor* tensor :
       {&storage.keys(0), &storage.values(0), &storage.keys(last), &storage.values(last)}) {
    EXPECT_TRUE(is_zero(*tensor, kTokens - 1));
  }
}

}  // namespace redraft
