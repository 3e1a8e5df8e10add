#pragma once

#include <string_view>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/imports.h"
#include "indexing/syntax/tree_cursor.h"

namespace redraft {

Imports find_imports(const Grammar& grammar, std::string_view text, const TSNode& root);

}  // namespace redraft
