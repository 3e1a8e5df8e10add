// Which file a part of a change is for, and whether that is the file that is edited.
//
// Assistants state a file in many ways: in the head of a diff, on the line above a block, in the
// info string of a fence, in a comment on the first line of the code. They state paths relative to
// a folder that is not known here. So two paths are the same file if they agree in as many
// components, from the last one on, as both have.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// A path as its components are compared: with slashes, without "." components. Diffs quote paths
// and prefix them with "a/" or "b/"; `is_of_diff` removes both. "/dev/null" becomes empty.
std::string plain_path(std::string_view path, bool is_of_diff = false);

// Whether both may mean the same file. Neither is empty.
bool is_same_file(std::string_view path, std::string_view other);

// The path that a line states, if it says little else: "### `src/a.py`", "**File: a.py**", "a.py:",
// "<path>a.py</path>", "Now change `src/a.py`:". A sentence states one only if it ends with a colon
// and names no other.
std::optional<std::string> path_on_line(std::string_view line);

// The path in the info string of a fence: "python src/a.py", "ts:web/a.ts", "js title=\"a.js\"".
std::optional<std::string> path_in_info(std::string_view info);

// The path that a text within the marks of a comment consists of: "src/a.py", "filepath: a.py".
std::optional<std::string> path_in_comment(std::string_view text);

}  // namespace redraft
