#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "support/token.h"

namespace redraft {

struct ContinuationQuery {
  int longest = 16;  // tokens of the context's end that are looked for first
  int shortest = 2;  // and the fewest that count as a match, >= 1
  int length = 10;   // most tokens of one continuation, >= 1
  int most = 5000;   // continuations
};

// What followed the longest end of a context that occurs with something after it.
struct Continuations {
  int matched = 0;  // tokens of that end; 0: not even the shortest occurs
  // 1 to `length` tokens each, one for every occurrence, in the order of their tokens (a beginning
  // of another comes first). They live as long as the store.
  std::vector<std::span<const TokenId>> tokens;
};

// Texts that were written before. Immutable: any thread may use it, and a text that changes makes
// another store.
class Datastore {
 public:
  virtual ~Datastore() = default;
  // Neither a match nor a continuation reaches from one text into the next. Where there are more
  // than `most` occurrences, `most` of them are taken at equal distances in that order, so that
  // frequent continuations stay frequent.
  virtual Continuations continuations(std::span<const TokenId> context,
                                      const ContinuationQuery& query) const = 0;
  // Of all texts together.
  virtual std::size_t token_count() const = 0;
};

}  // namespace redraft
