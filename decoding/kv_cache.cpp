#include "decoding/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace redraft {

KvCache::KvCache(int capacity, std::unique_ptr<KvStorage> storage)
    : capacity_(capacity), storage_(std::move(storage)) {
  assert(capacity > 0);
}

void KvCache::append(std::span<const TokenId> context, const DraftTree& draft) {
  assert(length() + static_cast<int>(context.size()) + draft.size() <= capacity_);
  tokens_.insert(tokens_.end(), context.begin(), context.end());
  in_flight_.assign(draft.tokens().begin(), draft.tokens().end());
}

void KvCache::keep(std::span<const int> path) {
  const int first_slot = length();
  for (int depth = 0; depth < static_cast<int>(path.size()); ++depth) {
    const int node = path[depth];
    assert(node >= depth && node < static_cast<int>(in_flight_.size()));
    assert(depth == 0 || node > path[depth - 1]);
    // A node's slot is never below its place on the path, so no row is overwritten before it has
    // moved.
    if (storage_ && node != depth) storage_->move_slot(first_slot + node, first_slot + depth);
    tokens_.push_back(in_flight_[node]);
  }
  in_flight_.clear();
}

void KvCache::truncate(int length) {
  assert(length >= 0);
  if (length < this->length()) tokens_.resize(length);
  in_flight_.clear();
}

int KvCache::truncate_to_common_prefix(std::span<const TokenId> tokens) {
  const auto differ = std::mismatch(tokens_.begin(), tokens_.end(), tokens.begin(), tokens.end());
  truncate(static_cast<int>(differ.first - tokens_.begin()));
  return length();
}

}  // namespace redraft
