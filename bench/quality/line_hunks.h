#pragma once

#include <span>
#include <string>
#include <vector>

namespace redraft {

// `added` replaces the lines `removed` from line `at` of the old text (0-based); one of the two is
// not empty.
struct LineHunk {
  int at = 0;
  std::vector<std::string> removed, added;
  friend bool operator==(const LineHunk&, const LineHunk&) = default;
};

// The hunks that turn `before` into `after`, ascending, as Python's difflib finds them
// (SequenceMatcher without its junk heuristics). Commits are divided by them into questions about
// next edits, and proposals are compared with them. The server's own diff_lines() divides some
// changes differently, and changing it must not change the questions.
std::vector<LineHunk> line_hunks(std::span<const std::string> before,
                                 std::span<const std::string> after);

// The parts between "\n"; always at least one.
std::vector<std::string> split_lines(const std::string& text);
std::string join_lines(std::span<const std::string> lines);

}  // namespace redraft
