#pragma once

#include <string>
#include <vector>

#include "workspace/apply/change_text.h"
#include "workspace/documents/diff.h"

namespace redraft {

// What differs between the old lines of a hunk and its new ones, in places within the old lines.
// Where the hunk marks what it changes, nothing else differs: of equal lines that follow each
// other, the marks say which one goes. Blanks at line ends count if `is_exact`.
std::vector<LineChange> changes_of(const std::vector<std::string>& old_lines,
                                   const std::vector<std::string>& new_lines,
                                   const std::vector<MarkedChange>& marked, bool is_exact);

}  // namespace redraft
