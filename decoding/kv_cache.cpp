#include "decoding/kv_cache.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace redraft {
namespace {

// The slots of a rejected draft keep their memory, because the next draft needs it, but at most
// this many. (256 slots of a 1.5B model are 7 MiB, and returning them takes a fraction of a
// millisecond.)
constexpr int kMaxIdleSlots = 256;

}  // namespace

KvCache::KvCache(int capacity, std::unique_ptr<KvStorage> storage)
    : capacity_(capacity), storage_(std::move(storage)) {
  assert(capacity > 0);
}

void KvCache::append(std::span<const TokenId> context, const DraftTree& draft) {
  assert(length() + static_cast<int>(context.size()) + draft.size() <= capacity_);
  tokens_.insert(tokens_.end(), context.begin(), context.end());
  in_flight_.assign(draft.tokens().begin(), draft.tokens().end());
  held_ = std::max(held_, length() + draft.size());
}

void KvCache::keep(std::span<const int> path) {
  const int first_slot = length();
  // A node's slot is never below its place on the path, so no row is overwritten before it has
  // moved.
  for (int depth = 0; storage_ && depth < static_cast<int>(path.size()); ++depth) {
    if (path[depth] != depth) storage_->move_slot(first_slot + path[depth], first_slot + depth);
  }
  if (SequenceState* const state = this->state(); state && !path.empty()) state->commit(path);
  keep_moved(path);
}

void KvCache::keep_moved(std::span<const int> path) {
  assert(std::ranges::adjacent_find(path, std::greater_equal()) == path.end() &&
         std::ssize(path) <= std::ssize(in_flight_));
  for (const int node : path) {
    assert(node >= 0 && node < static_cast<int>(in_flight_.size()));
    tokens_.push_back(in_flight_[node]);
  }
  in_flight_.clear();
}

int KvCache::truncatable_to(int length) const {
  if (length >= this->length()) return this->length();
  const SequenceState* const state = storage_ ? std::as_const(*storage_).state() : nullptr;
  return state ? state->known_at(length) : length;
}

int KvCache::truncate(int length) {
  assert(length >= 0);
  length = truncatable_to(length);
  if (length < this->length()) {
    if (SequenceState* const state = this->state()) state->restore(length);
    tokens_.resize(length);
  }
  in_flight_.clear();
  if (held_ - this->length() > kMaxIdleSlots) trim();
  return length;
}

int KvCache::truncate_to_common_prefix(std::span<const TokenId> tokens) {
  return truncate(common_prefix(tokens));
}

int KvCache::common_prefix(std::span<const TokenId> tokens) const {
  const auto differ = std::mismatch(tokens_.begin(), tokens_.end(), tokens.begin(), tokens.end());
  return static_cast<int>(differ.first - tokens_.begin());
}

int KvCache::usable_prefix(std::span<const TokenId> tokens) const {
  return truncatable_to(common_prefix(tokens));
}

void KvCache::remember() {
  if (SequenceState* const state = this->state(); state && length() > 0) state->remember();
}

void KvCache::forget_present_state() {
  SequenceState* const state = this->state();
  if (!state) return;
  const int length = state->known_at(std::max(0, this->length() - 1));
  state->restore(length);
  tokens_.resize(static_cast<std::size_t>(length));
  in_flight_.clear();
}

std::unique_ptr<KvCache> KvCache::fork(int length) const {
  assert(length >= 0 && length <= this->length());
  length = truncatable_to(length);
  auto copy = std::make_unique<KvCache>(capacity_, storage_ ? storage_->fork(length) : nullptr);
  copy->tokens_.assign(tokens_.begin(), tokens_.begin() + length);
  copy->held_ = length;
  return copy;
}

void KvCache::trim() {
  in_flight_.clear();
  if (storage_ && held_ > length()) storage_->discard(length());
  held_ = length();
}

}  // namespace redraft
