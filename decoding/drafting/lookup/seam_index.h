#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decoding/drafting/lookup/suffix_index.h"
#include "decoding/text/tokenizer.h"
#include "support/token.h"

namespace redraft {

// Finds where the end of the output stands in the original in other tokens: behind an edit the same
// text may be cut into tokens otherwise ("_name" for "name", "\n\n" for "\n"), and for those tokens
// SuffixIndex sees nothing that is equal. Compares bytes, at the boundaries of the original's
// tokens.
class SeamIndex {
 public:
  // `tokenizer` outlives this; null: nothing is ever found.
  SeamIndex(std::span<const TokenId> original, const Tokenizer* tokenizer);

  // Places that the last bytes of `output` stand before, but not its last token: longest match
  // first, then the nearest at or after `place`, then the nearest before it; at most `most`. A
  // match is as long as the whole tokens of the original in it, at least 1.
  std::vector<SuffixIndex::Match> find_near(std::span<const TokenId> output, int place,
                                            int most) const;

 private:
  static constexpr std::size_t kKey = 3;    // bytes that must be equal at the least
  static constexpr int kWalk = 12;          // candidates that are compared, in each direction
  static constexpr std::size_t kTail = 16;  // tokens of the output that are looked at

  static std::uint32_t key_before(std::string_view text);
  SuffixIndex::Match match_at(int next, std::string_view tail) const;

  const Tokenizer* tokenizer_;
  std::vector<TokenId> original_;
  std::string text_;                                            // of the original
  std::vector<std::size_t> begins_;                             // of each token in it, and its end
  std::unordered_map<std::uint32_t, std::vector<int>> places_;  // ascending, by the bytes before
};

}  // namespace redraft
