#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/token.h"

namespace redraft {

// The suffix automaton of a growing text (Blumer et al. 1985). For every suffix of a sequence it
// knows whether it occurs in the text, which tokens followed it, how often, and where last.
// Amortised constant work for each added token and for each token that a cursor advances; about 70
// bytes a token.
//
// An example. In the text "a b c a b d a b" the end "a b" occurred twice before: end() has length
// 2, and find_next() returns d (the most recent) and c, each with how often it followed and where
// last. After "d" is appended, end() is "a b d", of length 3, and find_next() returns a.
class SuffixAutomaton {
 public:
  SuffixAutomaton();

  void append(TokenId token);
  int size() const { return size_; }
  std::size_t bytes() const;

  // The longest suffix of a sequence that occurs in the text. Valid until the next append().
  struct Cursor {
    std::int32_t state = 0;
    std::int32_t length = 0;
  };
  // For the text itself: its longest suffix that also occurs earlier.
  Cursor end() const;
  // For the sequence followed by `token`.
  Cursor advance(Cursor cursor, TokenId token) const;

  // A token that followed the last `length` tokens of a sequence somewhere in the text.
  struct Next {
    TokenId token;
    int length;
    int count;  // how often, as far as known
    int last;   // its position there
  };
  // Appends up to `most` successors, each token once: the longest match first; among equally long
  // ones, the most recent. After a suffix with very many successors it only looks at the newest.
  void find_next(Cursor cursor, int most, std::vector<Next>& found) const;

 private:
  // The substrings that end at exactly the same positions.
  struct State {
    std::int32_t length = 0;  // of the longest of them
    std::int32_t link = -1;   // the state of the longest suffix that ends at more positions
    std::int32_t edges = -1;  // the newest, or -1
    std::int32_t last = -1;   // the last position at which they end
    std::int32_t count = 0;
  };
  struct Edge {
    std::int32_t from;
    TokenId token;
    std::int32_t to;
    std::int32_t next;  // the next older one of the same state, or -1
  };

  std::int32_t add_state(const State& state);
  // The slot of the edge, or the empty slot where it belongs.
  std::size_t slot(std::int32_t from, TokenId token) const;
  std::int32_t find(std::int32_t from, TokenId token) const;  // an edge, or -1
  void add_edge(std::int32_t from, TokenId token, std::int32_t to);
  void grow_slots();
  std::int32_t clone(std::int32_t state, std::int32_t length);
  void link_new(std::int32_t added, std::int32_t from, TokenId token);

  std::vector<State> states_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> slots_;  // open addressing: an edge, or -1; the size is a power of two
  std::vector<std::int32_t> copied_;
  std::int32_t whole_ = 0;  // the state of the whole text
  int size_ = 0;
};

}  // namespace redraft
