#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "support/token.h"

namespace redraft {

// Where a model keeps one row of keys and values per slot. A scripted model needs none.
class KvStorage {
 public:
  virtual ~KvStorage() = default;
  // Copies slot `from` of every layer over slot `to`; to <= from.
  virtual void move_slot(int from, int to) = 0;
  // A storage of the same shape whose first `slots` slots hold what they hold here.
  virtual std::unique_ptr<KvStorage> fork(int slots) const = 0;
  // What slots `from` and above hold is not needed again: their memory goes back to the system.
  virtual void discard(int from) = 0;
  // The memory that the first `slots` slots take once they are written; grows with `slots`.
  virtual std::size_t bytes(int slots) const = 0;
};

// The memory of one token sequence under one model: the committed tokens fill slots 0..length()-1
// without a gap; the nodes of the draft in flight follow in slots length()..length()+draft-1 until
// keep() decides about them. Nothing ever reads above that. One thread at a time.
class KvCache {
 public:
  // `storage` has `capacity` slots, or is null for a model without keys and values.
  KvCache(int capacity, std::unique_ptr<KvStorage> storage);

  int capacity() const { return capacity_; }
  int length() const { return static_cast<int>(tokens_.size()); }
  std::span<const TokenId> tokens() const { return tokens_; }
  KvStorage* storage() { return storage_.get(); }

  // Called by LanguageModel::forward once the rows are written: `context` is committed, `draft` is
  // in flight.
  void append(std::span<const TokenId> context, const DraftTree& draft);
  // Commits the nodes of `path` (ascending node indices, each the child of the one before, the
  // first a root) of the draft in flight and forgets the rest of it.
  void keep(std::span<const int> path);
  // The same where the model has already put the path's rows into their slots.
  void keep_moved(std::span<const int> path);
  // Forgets everything from slot `length` on, the draft in flight included. What many slots held
  // goes back to the system.
  void truncate(int length);
  // Keeps the longest prefix shared with `tokens` and returns its length.
  int truncate_to_common_prefix(std::span<const TokenId> tokens);
  // How many tokens at the beginning are those of `tokens`.
  int common_prefix(std::span<const TokenId> tokens) const;

  // A cache of the same capacity that holds a copy of the first `length` tokens: from then on the
  // two know nothing of each other. length <= length().
  std::unique_ptr<KvCache> fork(int length) const;

  // The memory it holds, and what it would hold with `length` tokens and nothing more.
  std::size_t bytes() const { return bytes_of(held_); }
  std::size_t bytes_of(int length) const { return storage_ ? storage_->bytes(length) : 0; }
  // Gives back the memory of every slot that holds no committed token.
  void trim();

 private:
  int capacity_;
  std::unique_ptr<KvStorage> storage_;
  std::vector<TokenId> tokens_;
  std::vector<TokenId> in_flight_;
  int held_ = 0;  // slots 0..held_-1 may have memory, whatever they hold now
};

}  // namespace redraft
