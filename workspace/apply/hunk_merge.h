// Puts a hunk into lines of the file that are not the hunk's old lines any more: a three-way merge,
// whose base the hunk shows.
#pragma once

#include <vector>

#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// The hunk at the lines of the file that are most like its old lines. Lines that the hunk does not
// change stay as the file has them. Names that the file has renamed since are renamed in the hunk,
// too. A span has a doubt where the file's line differs from the one that the hunk removes, or
// where the place is not beyond question.
//
// Fails if no place is alike enough, if two are equally alike, and if the hunk would remove lines
// that it does not show.
Result<std::vector<LineSpan>> merge_hunk(const FileLines& file, const Replaced& hunk);

}  // namespace redraft
