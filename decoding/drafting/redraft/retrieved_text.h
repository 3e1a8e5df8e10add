#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decoding/drafting/redraft/guess.h"
#include "indexing/store/datastore.h"
#include "support/token.h"

namespace redraft {

// What a datastore has after the longest end of the context, walked token by token.
class RetrievedText {
 public:
  // `store` may be null: nothing is ever found.
  explicit RetrievedText(std::shared_ptr<const Datastore> store) : store_(std::move(store)) {}

  void search(std::span<const TokenId> context);
  void clear() { found_ = {}; }

  bool has_store() const { return store_ != nullptr; }
  // After the end of the context.
  RetrievedRange all() const { return {0, static_cast<int>(found_.tokens.size()), 0}; }
  RetrievedRange advance(const RetrievedRange& range, TokenId token) const;
  // The most frequent tokens there. Their `match` is the length of the match times the share of the
  // continuations that have the token.
  void add_guesses(const RetrievedRange& range, std::vector<Guess>& guesses) const;

 private:
  std::shared_ptr<const Datastore> store_;
  Continuations found_;
};

}  // namespace redraft
