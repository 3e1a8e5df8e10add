#pragma once

#include <atomic>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "indexing/store/memory_datastore.h"

namespace redraft {

// A datastore that counts how it is used, and may pretend to be larger.
class CountingStore : public Datastore {
 public:
  explicit CountingStore(std::vector<std::vector<TokenId>> texts, std::size_t claimed_size = 0)
      : texts_(std::move(texts)), store_(texts_), claimed_size_(claimed_size) {}

  Continuations continuations(std::span<const TokenId> context,
                              const ContinuationQuery& query) const override {
    ++searches_;
    thread_ = std::this_thread::get_id();
    return store_.continuations(context, query);
  }
  std::size_t token_count() const override {
    return claimed_size_ > 0 ? claimed_size_ : store_.token_count();
  }

  int searches() const { return searches_; }
  std::thread::id last_thread() const { return thread_; }

 private:
  std::vector<std::vector<TokenId>> texts_;
  MemoryDatastore store_;
  std::size_t claimed_size_;
  mutable std::atomic<int> searches_ = 0;
  mutable std::atomic<std::thread::id> thread_;
};

}  // namespace redraft
