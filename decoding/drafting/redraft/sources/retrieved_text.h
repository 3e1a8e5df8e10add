#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decoding/drafting/redraft/sources/guess_source.h"
#include "indexing/store/datastore.h"
#include "support/token.h"

namespace redraft {

// The retrieved continuations that a branch agrees with, and the number of agreeing tokens.
struct RetrievedRange {
  int begin = 0;
  int end = 0;
  int depth = 0;
};

// The continuations of the longest end of the context in a datastore, walked token by token.
class RetrievedText {
 public:
  // `store` may be null: nothing is ever found. Its guesses have the kind `kind`.
  RetrievedText(std::shared_ptr<const Datastore> store, GuessKindId kind)
      : store_(std::move(store)), kind_(kind) {}

  void search(std::span<const TokenId> context);
  void clear() { found_ = {}; }

  // The range at the end of the context.
  RetrievedRange all() const { return {0, static_cast<int>(found_.tokens.size()), 0}; }
  RetrievedRange advance(const RetrievedRange& range, TokenId token) const;
  // Guesses the most frequent next tokens. The `match` of each is the length of the datastore's
  // match, multiplied by the share of the continuations that have the token.
  void add_guesses(const RetrievedRange& range, std::vector<Guess>& guesses) const;

 private:
  std::shared_ptr<const Datastore> store_;
  GuessKindId kind_;
  Continuations found_;
};

// Guesses from the request's datastores, those of the project and of common code.
std::unique_ptr<GuessSource> retrieval_source(const SourceInputs& inputs);

}  // namespace redraft
