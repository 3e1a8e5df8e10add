#pragma once

#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// Which lines replace which lines of the file, in arbitrary order; see change_place.h. The error
// says why that is uncertain. `tree` may be null: then only lines decide.
Result<std::vector<LineSpan>> place_snippet(const FileLines& file, const SyntaxTree* tree,
                                            std::string_view language_id,
                                            const CodeSnippet& snippet);

}  // namespace redraft
