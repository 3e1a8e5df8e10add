#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "indexing/syntax/grammar_table.h"
#include "support/byte_range.h"

namespace redraft {

// The whole lines of what `offset` stands for if an instruction adds `part` to it: the innermost
// switch around it, otherwise the nearest one in the function around it. Of options, all statements
// of the function that declare one; of a parameter, the function. Nothing: there is none, or the
// language has none.
std::optional<ByteRange> find_container(const Grammar& grammar, std::string_view text,
                                        const TSNode& root, std::size_t offset, AddedPart part);

}  // namespace redraft
