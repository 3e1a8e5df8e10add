#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/syntax_tree.h"

namespace redraft {

// The import statements that an edit made necessary, in the order in which the text needs them.
// Each is for a module of the standard library (Language::standard_modules): `after` uses a member
// of the module, and neither `before` nor another line of `after` declares the name. A model that
// writes the lines of one method cannot add them itself.
std::vector<std::string> missing_imports(const SyntaxTree& before, const SyntaxTree& after);

}  // namespace redraft
