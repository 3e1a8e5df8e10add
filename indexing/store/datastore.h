#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "support/token.h"

namespace redraft {

struct ContinuationQuery {
  int longest = 16;  // maximum length of the suffix searched for, in tokens
  int shortest = 2;  // minimum length that counts as a match, >= 1
  int length = 10;   // maximum tokens of one continuation, >= 1
  int most = 5000;   // maximum number of continuations
};

// The continuations of the longest suffix of a context that occurs with something after it.
struct Continuations {
  int matched = 0;  // tokens of that suffix; 0: not even the shortest one occurs
  // 1 to `length` tokens each, one continuation for every occurrence, in lexicographic order (a
  // prefix of another comes first). They live as long as the store.
  std::vector<std::span<const TokenId>> tokens;
};

// A set of texts to search. Immutable: any thread may use it, and a changed text makes another
// store.
class Datastore {
 public:
  virtual ~Datastore() = default;
  // Neither a match nor a continuation crosses from one text into the next. If there are more than
  // `most` occurrences, returns `most` of them at equal distances in lexicographic order, so that
  // frequent continuations stay frequent.
  virtual Continuations continuations(std::span<const TokenId> context,
                                      const ContinuationQuery& query) const = 0;
  // The number of tokens of all texts together.
  virtual std::size_t token_count() const = 0;
};

}  // namespace redraft
