#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// The imports that an edit made necessary: of modules of the language's standard library, of which
// `after` uses a member though no other line of it, nor `before`, knows the name. A model that is
// asked for the lines of a method cannot write them. In the order in which they are needed; Python
// and Go, none for other languages.
std::vector<std::string> missing_imports(const SyntaxTree& before, const SyntaxTree& after,
                                         std::string_view language_id);

}  // namespace redraft
