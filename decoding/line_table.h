#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "support/token.h"

namespace redraft {

// What each token of a vocabulary does to the line it is written on, for sources that look at
// lines and know only tokens. Immutable.
class LineTable {
 public:
  // `bytes` gives what a token writes; blanks are spaces and tabs, lines end with \n.
  LineTable(int vocabulary_size, const std::function<std::string_view(TokenId)>& bytes);

  // Whether a line ends within `token`.
  bool breaks_line(TokenId token) const;
  // Whether only blanks stand on the line that `text` ends on, so that the next token that is not
  // blank is the line's first. True of an empty text.
  bool at_line_start(std::span<const TokenId> text) const;

 private:
  enum class Shape : std::uint8_t {
    kText,            // something that is not blank, on the line before
    kBlank,           // blanks alone, or a carriage return
    kBreakAndBlanks,  // nothing but blanks after its last line break
    kBreakAndText,
  };
  static Shape shape_of(std::string_view bytes);
  Shape shape(TokenId token) const;

  std::vector<Shape> shapes_;
};

}  // namespace redraft
