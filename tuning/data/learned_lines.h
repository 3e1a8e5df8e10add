#pragma once

#include <string_view>
#include <vector>

#include "support/byte_range.h"

namespace redraft {

// The bytes of an answer that EoFT learns (EfficientEdit, section IV-A): the lines of the edited
// code that `before` does not have, with their ends, and everything after the code: the closing
// fence and the end of the turn. `target` is the code up to `code_end`, then that end. Ascending,
// disjoint, and not adjacent.
std::vector<ByteRange> learned_lines(std::string_view before, std::string_view target,
                                     std::size_t code_end);

}  // namespace redraft
