// Places the pieces of a snippet by their ends: between two ellipses, the first lines and the last
// ones are in the file, and what is between them there is replaced. For snippets that have no place
// by their definitions and lines (snippet_place.h); what comes of it is doubtful.
#pragma once

#include <vector>

#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// The error says which piece is at no place or at several.
Result<std::vector<LineSpan>> place_by_ends(const FileLines& file, const CodeSnippet& snippet);

}  // namespace redraft
