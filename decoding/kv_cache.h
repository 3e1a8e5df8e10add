#pragma once

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
  // Forgets everything from slot `length` on, the draft in flight included.
  void truncate(int length);
  // Keeps the longest prefix shared with `tokens` and returns its length.
  int truncate_to_common_prefix(std::span<const TokenId> tokens);

 private:
  int capacity_;
  std::unique_ptr<KvStorage> storage_;
  std::vector<TokenId> tokens_;
  std::vector<TokenId> in_flight_;
};

}  // namespace redraft
