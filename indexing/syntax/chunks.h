#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "support/byte_range.h"

namespace redraft {

// Divides a text into pieces of at most `max_bytes` (at least 4), without gaps: where definitions
// begin or end, preferably outer ones; else between lines; else between characters. `definitions`
// come from SyntaxTree; without any, the text is divided between lines only.
std::vector<ByteRange> chunks(std::string_view text, const std::vector<Definition>& definitions,
                              std::size_t max_bytes);

}  // namespace redraft
