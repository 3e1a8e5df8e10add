#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// Adjacent lines of a change, and where they may be in the file.
struct LinesToAlign {
  struct Line {
    std::string_view text;         // without the blanks around it
    int window_begin, window_end;  // the lines of the file that it may match
  };
  std::vector<Line> lines;  // not empty; the first and last are not blank
  // The file's lines where the first one begins and the last one ends, if known; their text may
  // differ.
  std::optional<int> begin, end;
};

// The lines [begin, end) of the file that they replace.
struct AlignedLines {
  int begin = 0, end = 0;
  int n_kept = 0;  // the number of lines, not counting blank ones, that are in both
};

// Whether a line is evidence of a location: a brace is not.
bool is_telling(std::string_view text);

// Whether one line may be a changed version of the other: they share half of their words.
bool are_alike(std::string_view a, std::string_view b);

// Whether `text` has all words of the other.
bool has_words_of(std::string_view text, std::string_view other);

// Finds where the lines fit best. Their first and last lines are in the file, or are new because
// they are not similar to the lines next to those in the file. As many of the lines between as
// possible are in the file, with as few other lines between them as possible. (A semi-global
// alignment, by dynamic programming; the time is proportional to the product of the numbers of
// lines.) Fails if the result is uncertain: nothing fits, or two places fit equally well.
Result<AlignedLines> align(const FileLines& file, const LinesToAlign& lines);

}  // namespace redraft
