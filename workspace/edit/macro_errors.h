#pragma once

#include <optional>
#include <vector>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// Whether `after` has more syntax errors than `before` only because a tree does not know what the
// macros in the new text stand for: "class LOCKABLE Mutex {", "CATCH(...) {}". Without these
// macros, the text has no more errors than before. Only in C and C++. Parses.
bool are_errors_of_macros(const SyntaxTree& before, const SyntaxTree& after,
                          const std::vector<ByteRange>& new_places);

// `after` with blanks for the macros in the new text. Nothing: it has none, or is not C or C++.
std::optional<SyntaxTree> without_new_macros(const SyntaxTree& after,
                                             const std::vector<ByteRange>& new_places);

}  // namespace redraft
