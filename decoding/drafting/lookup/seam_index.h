#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decoding/drafting/lookup/suffix_index.h"
#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// Finds where the end of the output occurs in the original under a different tokenisation. After an
// edit the same text may be split into other tokens ("_name" for "name", "\n\n" for "\n"), and
// SuffixIndex, which compares tokens, finds no match. This index compares bytes, at the boundaries
// of the original's tokens.
class SeamIndex {
 public:
  // `tokenizer` outlives this; null: finds nothing.
  SeamIndex(std::span<const TokenId> original, const Tokenizer* tokenizer);

  // Positions in the original that are preceded by the last bytes of `output`, but not by its last
  // token; at most `most`. The longest match comes first, then the nearest at or after `place`,
  // then the nearest before it. The length of a match is the number of the original's whole tokens
  // in it, at least 1.
  std::vector<SuffixIndex::Match> find_near(std::span<const TokenId> output, int place,
                                            int most) const;

 private:
  static constexpr std::size_t kKey = 3;    // the minimum number of equal bytes
  static constexpr int kWalk = 12;          // candidates compared in each direction
  static constexpr std::size_t kTail = 16;  // tokens of the output that are compared

  static std::uint32_t key_before(std::string_view text);
  SuffixIndex::Match match_at(int next, std::string_view tail) const;

  const Tokenizer* tokenizer_;
  std::vector<TokenId> original_;
  std::string text_;                 // of the original
  std::vector<std::size_t> begins_;  // where each of its tokens begins in text_, and its end
  // Ascending positions, by the bytes before them.
  std::unordered_map<std::uint32_t, std::vector<int>> places_;
};

}  // namespace redraft
