#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// Lines that stand together in a change, and where they may stand in the file.
struct LinesToAlign {
  struct Line {
    std::string_view text;         // without the blanks around it
    int window_begin, window_end;  // the lines of the file that it may be
  };
  std::vector<Line> lines;  // not empty; the first and last are not blank
  // Where the first one begins and the last one ends, if that is known already; these need not have
  // the same text.
  std::optional<int> begin, end;
};

// Lines [begin, end) of the file that they take the place of.
struct AlignedLines {
  int begin = 0, end = 0;
  int n_kept = 0;  // of them, those that are in both, not counting blank ones
};

// Whether a line says something about where it stands: a brace does not.
bool is_telling(std::string_view text);

// Whether one line may be what became of the other: they share half of their words.
bool are_alike(std::string_view a, std::string_view b);

// Whether `text` has all words of the other.
bool has_words_of(std::string_view text, std::string_view other);

// Where they fit best: their first and last line are in the file, or are not like the lines next to
// those that are, and so are new; of those between, as many as possible are there, with as few of
// the file's between them as possible. (A semi-global alignment, by dynamic programming: the time
// is linear in the product of the lines.) An error if that is not certain: nothing fits, or two
// places do alike.
Result<AlignedLines> align(const FileLines& file, const LinesToAlign& lines);

}  // namespace redraft
