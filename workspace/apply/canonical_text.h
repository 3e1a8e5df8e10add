#pragma once

#include <string>
#include <string_view>

namespace redraft {

// `text` as a chat may have copied it: typographic quotes and dashes as those of ASCII, each
// special blank as a space, without characters of no width. Two lines that differ in nothing else
// are the same line for finding a place.
std::string canonical_text(std::string_view text);

// `text` with every run of blanks as one space: tabs and spaces between words count the same.
std::string with_single_blanks(std::string_view text);

// `old_line` changes to `new_line`; `there` is the file's version of `old_line`, which has the same
// canonical text. Returns the changed line with the file's own characters where both lines agree.
std::string changed_in_place(std::string_view there, std::string_view old_line,
                             std::string_view new_line);

}  // namespace redraft
