#pragma once

#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// Finds the old lines of a hunk and the lines that replace them. Both sides of the span are empty
// if the new lines are there already. The error says why the place is uncertain. `tree` may be
// null.
Result<LineSpan> place_hunk(const FileLines& file, const SyntaxTree* tree, const Replaced& hunk);

}  // namespace redraft
