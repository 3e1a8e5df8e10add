#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "support/token.h"

namespace redraft {

// Stores one row of keys and values per slot for a model. A scripted model needs none.
class KvStorage {
 public:
  virtual ~KvStorage() = default;
  // Copies slot `from` of every layer over slot `to`; to <= from.
  virtual void move_slot(int from, int to) = 0;
  // A storage of the same shape whose first `slots` slots hold copies of this one's.
  virtual std::unique_ptr<KvStorage> fork(int slots) const = 0;
  // Slots `from` and above are no longer needed: returns their memory to the system.
  virtual void discard(int from) = 0;
  // The memory that the first `slots` slots take once written; grows with `slots`.
  virtual std::size_t bytes(int slots) const = 0;

  // The size of a slot's rows as the next two functions copy them. 0: this storage does not support
  // copying, for example because its rows are on a device.
  virtual std::size_t bytes_per_slot() const { return 0; }
  // Copies the rows of slots `first` and up, one slot after the other, to and from outside memory:
  // as many slots as `rows` has room for. The slots must exist.
  virtual void copy_slots_out(int /*first*/, std::span<std::byte> /*rows*/) const {}
  virtual void copy_slots_in(int /*first*/, std::span<const std::byte> /*rows*/) {}
};

// The memory of one token sequence under one model. Slots 0..length()-1 hold the committed tokens
// without a gap. The nodes of the draft in flight follow in slots length()..length()+draft-1 until
// keep() decides which of them stay. Slots above those are never read. One thread at a time.
//
// An example. The context "a b c" is committed, length() is 3, and a draft of four nodes is
// verified, two of them alternatives for the next token:
//
//   slot    0  1  2 | 3       4         5        6
//   holds   a  b  c | 0: "d"  1: "x"    2: "e"   3: "f"
//   parent          | -1      -1        0        2
//
// The target writes "d e", then a token of its own. keep({0, 2}) moves slot 5 to slot 4, right
// after its parent; length() is 5, and nothing reads slots 5 and 6.
class KvCache {
 public:
  // `storage` has `capacity` slots, or is null for a model without keys and values.
  KvCache(int capacity, std::unique_ptr<KvStorage> storage);

  int capacity() const { return capacity_; }
  int length() const { return static_cast<int>(tokens_.size()); }
  std::span<const TokenId> tokens() const { return tokens_; }
  KvStorage* storage() { return storage_.get(); }
  const KvStorage* storage() const { return storage_.get(); }

  // Called by LanguageModel::forward once the rows are written: `context` becomes committed,
  // `draft` is in flight.
  void append(std::span<const TokenId> context, const DraftTree& draft);
  // Commits the nodes of `path` and discards the rest of the draft. `path` has ascending indices of
  // nodes of the draft in flight; the first is a root, every other one a child of the one before.
  void keep(std::span<const int> path);
  // The same, if the model has already moved the path's rows to their slots.
  void keep_moved(std::span<const int> path);
  // Discards everything from slot `length` on, including the draft in flight. If that is much,
  // returns its memory to the system.
  void truncate(int length);
  // Keeps the longest prefix shared with `tokens` and returns its length.
  int truncate_to_common_prefix(std::span<const TokenId> tokens);
  // How many tokens it shares with the beginning of `tokens`.
  int common_prefix(std::span<const TokenId> tokens) const;

  // A cache of the same capacity that holds a copy of the first `length` tokens and is independent
  // of this one. length <= length().
  std::unique_ptr<KvCache> fork(int length) const;

  // The memory it holds, and the memory it would hold with only `length` tokens.
  std::size_t bytes() const { return bytes_of(held_); }
  std::size_t bytes_of(int length) const { return storage_ ? storage_->bytes(length) : 0; }
  // Returns the memory of every slot that holds no committed token.
  void trim();

 private:
  int capacity_;
  std::unique_ptr<KvStorage> storage_;
  std::vector<TokenId> tokens_;
  std::vector<TokenId> in_flight_;
  int held_ = 0;  // slots 0..held_-1 may have memory, whether or not they hold tokens
};

}  // namespace redraft
