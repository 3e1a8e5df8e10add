#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// Lines that replace others: a hunk of a diff, or a block with SEARCH and REPLACE. Without their
// line endings.
struct Replaced {
  std::vector<std::string> old_lines;  // with the context; empty: the location is unknown
  std::vector<std::string> new_lines;
  std::optional<int> line;  // from 0; the diff's line number for the old lines
  std::string heading;      // the text after the diff's "@@"; may be empty
};

// New lines that show where they belong: a function, or some lines of one. An ellipsis ("# ...
// existing code ...") represents lines that stay.
struct CodeSnippet {
  struct Line {
    std::string text;
    bool is_ellipsis = false;
  };
  std::vector<Line> lines;  // not empty; the first and last are not blank
};

// A change that an assistant proposed for a file. One of the two is not empty.
struct ProposedChange {
  std::vector<Replaced> replaced;
  std::vector<CodeSnippet> snippets;
};

// The facts about a file that matter for parsing a change.
struct ChangedFile {
  std::string name;         // the last component of its path; empty: unknown
  std::string language_id;  // may be empty
  // Whether the file has this line (without blanks at its ends): then the line is not an ellipsis.
  std::function<bool(std::string_view line)> has_line;
};

inline constexpr std::size_t kMaxChangeBytes = std::size_t{1} << 20;

// Parses a change: fenced code in prose, a unified diff whose line numbers may be wrong or missing,
// SEARCH and REPLACE blocks, or plain code. In a diff of several files, only the hunks of this file
// count. Fails if nothing is left, if the text is not UTF-8 or too long, or if the diff is for
// other files.
Result<ProposedChange> parse_change(std::string_view text, const ChangedFile& file);

// Whether the line marks lines that an assistant left out: "// ...", "# rest of the function", but
// not "// and so on ..." nor Python's "...".
bool is_ellipsis(std::string_view line, std::string_view language_id);

// The same for a line in the middle of a file, where comments have many subjects: only dots, or
// dots and words like "existing code".
bool stands_for_code(std::string_view line);

}  // namespace redraft
