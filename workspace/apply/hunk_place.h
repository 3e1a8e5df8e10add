#pragma once

#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// Where the old lines of a hunk stand, and what takes their place; a span without lines at either
// side if the new ones stand there already. The error says why that is not certain. `tree` may be
// null.
Result<LineSpan> place_hunk(const FileLines& file, const SyntaxTree* tree, const Replaced& hunk);

}  // namespace redraft
