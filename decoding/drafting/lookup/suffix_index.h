#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "support/token.h"

namespace redraft {

// Finds where the end of a sequence occurred before in a growing text. Short keys lead to candidate
// positions, which are then compared backwards. Constant work for each added token and each
// look-up.
class SuffixIndex {
 public:
  static constexpr int kLongestMatch = 64;  // longer matches count as this long

  // A position in the text: the `length` tokens before `next` equal the end of the given sequence.
  struct Match {
    int next;
    int length;
  };

  // Orders matches: the longest first, then the nearest at or after `place`, then the nearest
  // before it.
  static void sort_by_nearness(std::vector<Match>& matches, int place);

  void append(TokenId token);
  std::span<const TokenId> text() const { return text_; }

  // Positions where the end of `sequence` occurs, each followed by a different token: the longest
  // match first, then the most recent; at most `most`. If `sequence` is text(), finds only earlier
  // positions.
  std::vector<Match> find_recent(std::span<const TokenId> sequence, int most) const;
  // The same, ordered by nearness; the tokens that follow may be equal.
  std::vector<Match> find_near(std::span<const TokenId> sequence, int place, int most) const;

 private:
  static constexpr std::array<int, 3> kOrders = {6, 3, 1};  // lengths of the keys, longest first
  static constexpr int kWalk = 24;  // candidates compared for one key, in each direction

  using Places = std::vector<int>;  // ascending

  // Null if the key at the end of `sequence` never occurred.
  const Places* places_after(std::span<const TokenId> sequence, std::size_t order) const;
  int match_length(std::span<const TokenId> sequence, int next) const;

  std::array<std::unordered_map<std::uint64_t, Places>, kOrders.size()> places_;  // by order
  std::vector<TokenId> text_;
};

}  // namespace redraft
