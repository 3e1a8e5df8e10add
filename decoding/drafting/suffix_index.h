#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "support/token.h"

namespace redraft {

// Finds where the end of a sequence occurred before in a growing text: short keys lead to candidate
// places, which are then compared backwards. Constant work for each token added and each look-up.
class SuffixIndex {
 public:
  static constexpr int kLongestMatch = 64;  // longer ones count as this long

  // A place in the text: `length` tokens before `next` equal the end of the sequence looked up.
  struct Match {
    int next;
    int length;
  };

  void append(TokenId token);
  std::span<const TokenId> text() const { return text_; }

  // Some places where the end of `sequence` occurs with something after it, longest match first,
  // then the most recent; at most `most`, with different next tokens when `distinct`. A place
  // between `sequence` and itself does not count: with `sequence` == text() only earlier places are
  // found.
  std::vector<Match> find(std::span<const TokenId> sequence, int most, bool distinct) const;

 private:
  static constexpr std::array<int, 3> kOrders = {6, 3, 1};  // lengths of the keys, longest first
  static constexpr int kWalk = 24;                          // candidates compared for one key

  int match_length(std::span<const TokenId> sequence, int next) const;

  // By order: the last place after a key, and for each place the one before it with the same key.
  std::array<std::unordered_map<std::uint64_t, int>, kOrders.size()> last_;
  std::array<std::vector<int>, kOrders.size()> previous_;
  std::vector<TokenId> text_;
};

}  // namespace redraft
