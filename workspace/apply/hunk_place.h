// Where the hunks of a diff and the blocks with SEARCH and REPLACE belong.
//
// A place is certain if the file has the old lines once (hunk_match.h), or if only one of their
// places is below the heading that the hunk states, has the stated line number, or lies between
// those of the hunks before and behind it in the diff. Lines that are on both sides of a hunk keep
// the bytes of the file. What the file has already is not put in twice.
#pragma once

#include <cstdint>
#include <vector>

#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// Whether a hunk whose old lines the file does not have goes to those that are most like them, see
// hunk_merge.h.
enum class Strictness : std::uint8_t { kStrict, kLoose };

// Finds the lines that the hunks replace. The error says why a place is uncertain. `tree` may be
// null.
Result<std::vector<LineSpan>> place_hunks(const FileLines& file, const SyntaxTree* tree,
                                          const std::vector<Replaced>& hunks,
                                          Strictness strictness = Strictness::kStrict);

}  // namespace redraft
