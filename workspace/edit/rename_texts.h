// Comments and strings that are about a thing that is renamed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/syntax_tree.h"
#include "workspace/documents/document.h"

namespace redraft {

// Whether no sentence has the word: "max_size", "maxSize", "x1".
bool looks_like_code(std::string_view name);

// Where comments are about `thing`, which is one of `meanings`.
std::vector<ByteRange> mentions(const SyntaxTree& tree, const NamedThing& thing,
                                const NameMeanings& meanings, std::string_view name);

// Strings by which a program names what it has, as uses of `thing`: Python's __all__, and with a
// doubt getattr(o, "size") and mock.patch("module.size").
std::vector<NameUse> text_uses(const Document& document, const NamedThing& thing,
                               const NameMeanings& meanings);

}  // namespace redraft
