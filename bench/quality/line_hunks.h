#pragma once

#include <span>
#include <string>
#include <vector>

namespace redraft {

// `removed` lines from line `at` of the old text (0-based) are replaced by `added`; one of the two
// is not empty.
struct LineHunk {
  int at = 0;
  std::vector<std::string> removed, added;
  friend bool operator==(const LineHunk&, const LineHunk&) = default;
};

// The hunks that turn `before` into `after`, ascending: those of Python's difflib (SequenceMatcher
// without its junk heuristics), by which commits are taken apart for questions about next edits and
// proposals are compared with them. The server's own diff_lines() divides some changes otherwise,
// and a change of it must not change what is asked.
std::vector<LineHunk> line_hunks(std::span<const std::string> before,
                                 std::span<const std::string> after);

// The parts between "\n"; always at least one.
std::vector<std::string> split_lines(const std::string& text);
std::string join_lines(std::span<const std::string> lines);

}  // namespace redraft
