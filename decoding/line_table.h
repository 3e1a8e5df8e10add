#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "support/token.h"

namespace redraft {

// The effect of each token of a vocabulary on the line that it is written on. For draft sources
// that look at lines but only know tokens. Immutable.
class LineTable {
 public:
  // `bytes` returns the text of a token. Blanks are spaces and tabs; lines end with \n.
  LineTable(int vocabulary_size, const std::function<std::string_view(TokenId)>& bytes);

  // Whether a line ends within `token`.
  bool breaks_line(TokenId token) const;
  // Whether the last line of `text` has only blanks so far, so that the next token that is not
  // blank is the first of its line. True for an empty text.
  bool at_line_start(std::span<const TokenId> text) const;

 private:
  enum class Shape : std::uint8_t {
    kText,            // some text that is not blank, without a line break before it
    kBlank,           // only blanks, or a carriage return
    kBreakAndBlanks,  // only blanks after its last line break
    kBreakAndText,
  };
  static Shape shape_of(std::string_view bytes);
  Shape shape(TokenId token) const;

  std::vector<Shape> shapes_;
};

}  // namespace redraft
