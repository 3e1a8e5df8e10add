#pragma once

#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/apply/file_lines.h"
#include "workspace/apply/snippet_parts.h"

namespace redraft {

// Where the imports of a snippet go among those of the file: lines that are inserted, or imports
// that get further names. What the file imports already is left out. The error says which import
// cannot be put in. `tree` may be null.
Result<std::vector<LineSpan>> place_imports(const FileLines& file, const SyntaxTree* tree,
                                            const SnippetParts& snippet);

}  // namespace redraft
