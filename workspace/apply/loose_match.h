// Finds the lines of a file that are most like some lines of a change, though some of them are
// others by now: the file was changed after the change was written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/apply/file_lines.h"

namespace redraft {

// Lines of a change aligned with lines of the file, in order.
struct LooseMatch {
  int begin = 0, end = 0;       // of the file: from the first aligned line to behind the last
  std::vector<int> file_lines;  // [line of the change]; -1: the file has none like it
  std::vector<bool> is_same;    // [line of the change]: but for blanks around it and its quotes
  double score = 0;             // 1: all lines are the same
  double worth = 0;             // how many lines that say something the score 1 would be
  double margin = 0;            // to the next best place that is apart, in lines that say something
};

// How much two lines have in common: the share of their pairs of adjacent characters, without
// blanks, from 0 to 1.
double likeness(std::string_view a, std::string_view b);

// The best places, the best first and disjoint; at most `most`. Empty: nothing is alike, or there
// is too much to compare. (An alignment by dynamic programming; the time is proportional to the
// product of the numbers of lines.)
std::vector<LooseMatch> loose_matches(const FileLines& file, const std::vector<std::string>& lines,
                                      std::size_t most);

}  // namespace redraft
