// The ways in which the text of a hunk may have been written, apart from what it says: with the
// line numbers of a tool that reads files, with characters as HTML or JSON write them, with other
// quotes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace redraft {

// The old and the new lines of a hunk.
struct HunkSides {
  std::vector<std::string> old_lines, new_lines;
  std::optional<int> line = {};  // from 0; the number before the first old line
};

// As they are, and then the other ways in which they can be read, the likeliest first. All have as
// many lines.
std::vector<HunkSides> ways_of(const HunkSides& sides);

// `text` with typographic quotes as those of ASCII.
std::string with_plain_quotes(std::string_view text);

}  // namespace redraft
