#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_range.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// How many unchanged lines a diff shows before and after a change.
inline constexpr std::size_t kDiffContext = 3;

// Whole lines of a text that change, as a line diff shows them; line endings are included.
struct PrintedChange {
  std::size_t first = 0;  // 0-based, in the old text
  std::vector<std::string> old_lines;
  std::vector<std::string> new_lines;
};

// The bytes of the lines that `edit` changes.
ByteRange whole_lines(std::string_view text, const TextEdit& edit);
// Whether `edit` ends at the end of a line: then no later edit can share a line with it.
bool ends_with_its_lines(std::string_view text, const TextEdit& edit);

// The lines that `edits` (ascending, disjoint, against `text`) change. Edits that share a line make
// one change.
std::vector<PrintedChange> printed_changes(std::string_view text,
                                           const std::vector<TextEdit>& edits);

// The whole unified diff with three lines of context, in the format of `patch`. Empty if nothing
// changes.
std::string unified_diff(const std::string& path, std::string_view text,
                         const std::vector<TextEdit>& edits);

}  // namespace redraft
