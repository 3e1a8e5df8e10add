#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "decoding/draft_tree.h"
#include "support/token.h"

namespace redraft {

// What a sequence has besides one row per token: state that every token changes, as recurrent
// layers have, or rows that are overwritten, as a sliding window has. It cannot be cut off at any
// length. It is known for the tokens that are committed now and for the lengths at which it was
// remembered.
//
// A model keeps the committed state and this contract as follows. A pass advances the state by its
// context and leaves it there: what the draft's nodes make of it is not part of it. commit()
// advances it over the accepted path, from what the pass noted about each node (it replays the
// nodes' inputs, for example), so that no second pass is needed.
class SequenceState {
 public:
  virtual ~SequenceState() = default;
  // Advances the state over the nodes of `path`, as for KvCache::keep(), of the last pass's draft.
  virtual void commit(std::span<const int> path) = 0;
  // The greatest length, at most `length`, for which the state is known. 0 always is: the state of
  // an empty sequence.
  virtual int known_at(int length) const = 0;
  // Returns to the state for `length` tokens, for which it is known. Forgets what is remembered of
  // greater lengths.
  virtual void restore(int length) = 0;
  // Keeps a copy of the present state. How many are kept is for the implementation to bound; it may
  // forget others.
  virtual void remember() = 0;
  // The size of one copy, as the next two copy it to and from memory outside; 0: this state cannot
  // leave its device. copy_out() copies the state for `length` tokens, for which it is known;
  // copy_in() makes the copy the present state, for `length` tokens.
  virtual std::size_t bytes() const = 0;
  virtual void copy_out(int length, std::span<std::byte> state) const = 0;
  virtual void copy_in(int length, std::span<const std::byte> state) = 0;
};

// Where a model keeps one row of keys and values per slot, and any state beside them. A scripted
// model needs none.
class KvStorage {
 public:
  virtual ~KvStorage() = default;
  // Copies slot `from` of every layer over slot `to`; to <= from.
  virtual void move_slot(int from, int to) = 0;
  // A storage of the same shape whose first `slots` slots hold copies of this one's. If there is
  // state, it is known for `slots` tokens, and the copy has that.
  virtual std::unique_ptr<KvStorage> fork(int slots) const = 0;
  // Returns the memory of slots `from` and above to the system: they are no longer needed.
  virtual void discard(int from) = 0;
  // The memory that the first `slots` slots take once they are written, with the state and what is
  // remembered of it; grows with `slots`.
  virtual std::size_t bytes(int slots) const = 0;

  // Owned by this storage; null: rows are all there is, and any length can be cut back to.
  virtual SequenceState* state() { return nullptr; }
  const SequenceState* state() const { return const_cast<KvStorage*>(this)->state(); }

  // The size of a slot's rows as the next two copy them; 0: this storage does not offer that, for
  // example because its rows are on a device.
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
// after its parent; length() is 5, and slots 5 and 6 hold nothing that anybody reads.
//
// If the storage has state beside its rows, the committed tokens can be cut back only to lengths
// for which that state is known. Everything here that cuts may therefore cut more than it is asked
// to, never less; the caller runs the missing tokens again.
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

  // Whether any length is known: there is no state beside keys and values.
  bool can_be_cut_anywhere() const { return !storage_ || !std::as_const(*storage_).state(); }
  // What truncate(length) would leave: `length`, or less if there is state that is not known for
  // it. At most length().
  int truncatable_to(int length) const;
  // Forgets all tokens from `length` on, including the draft in flight, and more if it must (see
  // truncatable_to). If that was much, its memory goes back to the system. Returns the length that
  // is left.
  int truncate(int length);
  // Keeps the longest prefix shared with `tokens` that can be kept, and returns its length.
  int truncate_to_common_prefix(std::span<const TokenId> tokens);
  // How many tokens it shares with the beginning of `tokens`.
  int common_prefix(std::span<const TokenId> tokens) const;
  // The longest beginning of `tokens` that truncate() or fork() can leave.
  int usable_prefix(std::span<const TokenId> tokens) const;
  // Makes the present length one that can be cut back to later, as long as the storage remembers
  // it. For a place that another request may share. Costs nothing where any length can be.
  void remember();

  // For a model whose pass failed midway: what the state has become is of no use. Goes back to a
  // length below length() for which it is known, at best 0.
  void forget_present_state();

  // A cache of the same capacity that holds a copy of the first truncatable_to(length) tokens and
  // is independent of this one from then on. length <= length().
  std::unique_ptr<KvCache> fork(int length) const;

  // The memory it holds, and the memory it would hold with only `length` tokens.
  std::size_t bytes() const { return bytes_of(held_); }
  std::size_t bytes_of(int length) const { return storage_ ? storage_->bytes(length) : 0; }
  // Returns the memory of every slot that holds no committed token.
  void trim();

 private:
  SequenceState* state() { return storage_ ? storage_->state() : nullptr; }

  int capacity_;
  std::unique_ptr<KvStorage> storage_;
  std::vector<TokenId> tokens_;
  std::vector<TokenId> in_flight_;
  int held_ = 0;  // slots 0..held_-1 may have memory, whether or not they hold tokens
};

}  // namespace redraft
