#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "support/token.h"

namespace redraft {

// One line of a vocabulary's merges. Its rank is its place among them; the lowest rank is applied
// first.
struct PairMerge {
  TokenId left;
  TokenId right;
  TokenId merged;
};

// Merges the bytes or characters of one word, best pair first and leftmost among equals, until no
// pair of neighbours has a merge. Short words are scanned for their best pair; for long ones there
// is a heap of pairs, so that no word takes more than O(n log n). Immutable once made.
class BytePairMerger {
 public:
  // If a pair has two merges, the later one counts. `byte_tokens` has -1 for a byte without a
  // token; such bytes are removed from a word before it is merged.
  BytePairMerger(const std::array<TokenId, 256>& byte_tokens, std::vector<PairMerge> merges);

  // Appends the tokens of `word`. Returns how many pairs were looked up, a measure of the work:
  // fewer than three per byte.
  std::size_t append(std::string_view word, std::vector<TokenId>& out) const;
  // The same for a word whose smallest tokens are not those of its bytes. Fewer than three lookups
  // per token.
  std::size_t append(std::span<const TokenId> word, std::vector<TokenId>& out) const;

  static constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::max();
  struct Merge {
    std::int32_t rank;  // kNoRank: this pair does not merge
    TokenId merged;
  };
  Merge find(TokenId left, TokenId right) const;
  const PairMerge& merge_of_rank(std::int32_t rank) const {
    return merges_[static_cast<std::size_t>(rank)];
  }

 private:
  struct Slot {
    std::uint64_t pair;
    Merge merge;
  };

  std::size_t first_slot(std::uint64_t pair) const;
  std::size_t append_short(std::span<TokenId> tokens, std::vector<TokenId>& out) const;

  std::array<TokenId, 256> byte_tokens_;
  std::vector<PairMerge> merges_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  int shift_ = 0;
};

}  // namespace redraft
