#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// Lines that take the place of others: a hunk of a diff, or a block with SEARCH and REPLACE.
// Without their endings.
struct Replaced {
  std::vector<std::string> old_lines;  // with the context; empty: nothing says where
  std::vector<std::string> new_lines;
  std::optional<int> line;  // from 0, where the diff says that the old ones begin
  std::string heading;      // what the diff names behind its "@@"; may be empty
};

// New lines that say themselves where they belong: a function, or some lines of one. An ellipsis
// ("# ... existing code ...") stands for lines that stay.
struct CodeSnippet {
  struct Line {
    std::string text;
    bool is_ellipsis = false;
  };
  std::vector<Line> lines;  // not empty; the first and last are not blank
};

// What an assistant wrote to be put into a file. One of the two is not empty.
struct ProposedChange {
  std::vector<Replaced> replaced;
  std::vector<CodeSnippet> snippets;
};

// How a file concerns the reading of a change.
struct ChangedFile {
  std::string name;         // the last component of its path; empty: unknown
  std::string language_id;  // may be empty
  // Whether it has this line, which has no blanks at its ends: then that is no ellipsis.
  std::function<bool(std::string_view line)> has_line;
};

inline constexpr std::size_t kMaxChangeBytes = std::size_t{1} << 20;

// Takes a change apart: fenced code in the middle of prose, a unified diff whose line numbers may
// be wrong or left out, SEARCH and REPLACE blocks, or plain code. Of a diff of several files only
// the hunks of this one count. Errors: nothing is left, no UTF-8, too long, or the diff is for
// other files.
Result<ProposedChange> parse_change(std::string_view text, const ChangedFile& file);

// Whether an assistant would mean lines that it left out: "// ...", "# rest of the function", but
// not "// and so on ..." nor Python's "...".
bool is_ellipsis(std::string_view line, std::string_view language_id);

// The same of a line in the middle of a file, where a comment speaks of many things: with dots
// alone, or with dots and words like "existing code".
bool stands_for_code(std::string_view line);

}  // namespace redraft
