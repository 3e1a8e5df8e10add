// Finds the old lines of a hunk in a file, though they may differ from it in what assistants get
// wrong: indentation, blanks within a line, quotes, the number of blank lines, numbers before the
// lines, characters written as in HTML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// A hunk at one of its possible places.
struct HunkMatch {
  int place = 0;  // the line of the file that is the first old line
  // With as many blank lines as the file has: each old line is one line of the file.
  std::vector<std::string> old_lines, new_lines;
  bool has_same_blank_lines = true;  // the change had as many, too
  std::optional<int> line = {};      // from 0; where a number before its text says that it begins
};

// All places, ascending; empty: the file does not have the old lines, some of which are not blank.
// An error if there are too many to compare.
Result<std::vector<HunkMatch>> match_hunk(const FileLines& file, const Replaced& hunk);

// Whether the file has the lines one after the other, but for the same differences.
bool has_lines(const FileLines& file, const std::vector<std::string>& lines);

}  // namespace redraft
