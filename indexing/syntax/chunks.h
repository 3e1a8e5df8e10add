#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "support/byte_range.h"

namespace redraft {

// Cuts a text into pieces of at most `max_bytes` (at least 4), without a gap: where definitions
// begin or end, rather around an outer one than within it; else between lines; else between
// characters. `definitions` as SyntaxTree gives them; without any, it is cut at lines alone.
std::vector<ByteRange> chunks(std::string_view text, const std::vector<Definition>& definitions,
                              std::size_t max_bytes);

}  // namespace redraft
