#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// Old lines [old_begin, old_end) of a hunk that its new lines [new_begin, new_end) replace.
struct MarkedChange {
  int old_begin = 0, old_end = 0;
  int new_begin = 0, new_end = 0;
};

// Lines that replace others: a hunk of a diff, or a block with SEARCH and REPLACE. Without their
// line endings.
struct Replaced {
  // What the change says of the newline at the end of the file.
  enum class FinalNewline : std::uint8_t { kKept, kAdded, kRemoved };

  std::vector<std::string> old_lines;  // with the context; empty: the location is unknown
  std::vector<std::string> new_lines;
  std::vector<MarkedChange> marked = {};  // as a diff marks them; empty: nothing does
  std::optional<int> line;                // from 0; the stated number of the first old line
  // Lines that stand above it, the outermost first: the text after the diff's "@@".
  std::vector<std::string> headings = {};
  // The paths that the change states for it, see change_path.h; a renamed file has two.
  std::vector<std::string> files = {};
  // The file of the part before it, if that is another file and this part states none.
  std::string after_other = {};
  // It belongs to a diff: it comes after the hunks before it, and blanks at line ends count.
  bool is_of_diff = false;
  // The numbers of all hunks of its diff agree with their lines and with each other. Then `line`
  // is the place of new lines without old ones, too.
  bool has_sure_numbers = false;
  int new_line = 0;        // if so: where its new lines begin afterwards, from 0
  bool ends_file = false;  // its last old line is the file's last
  FinalNewline final_newline = FinalNewline::kKept;
  std::string doubt = {};  // why it cannot be told what the old lines are; empty: it can
};

// New lines that show where they belong: a function, or some lines of one. An ellipsis ("# ...
// existing code ...") represents lines that stay.
struct CodeSnippet {
  struct Line {
    std::string text;
    bool is_ellipsis = false;
  };
  std::vector<Line> lines;              // not empty; the first and last are not blank
  std::vector<std::string> files = {};  // as in Replaced
  std::string after_other = {};         // as in Replaced
};

// A change that an assistant proposed for a file. One of the first two is not empty.
struct ProposedChange {
  std::vector<Replaced> replaced;
  std::vector<CodeSnippet> snippets;
  // What is not part of the change, for people: "left out what is for src/util.py".
  std::vector<std::string> notes = {};
  std::string doubt = {};  // why the change may be incomplete; empty: it is not
};

// The facts about a file that matter for parsing a change.
struct ChangedFile {
  std::string path;         // with slashes, as far as it is known; empty: unknown
  std::string language_id;  // may be empty
  // Whether the file has this line (without blanks at its ends): then the line is not an ellipsis.
  std::function<bool(std::string_view line)> has_line;
  // How often the file has these lines one after the other. Indentation and the number of blank
  // lines do not matter. 0 if all of them are blank.
  std::function<int(std::span<const std::string> lines)> count_of;
};

inline constexpr std::size_t kMaxChangeBytes = std::size_t{1} << 20;

// Parses a change: fenced code in prose, a diff whose line numbers may be wrong or missing, a mail
// with one, a patch of Codex, SEARCH and REPLACE blocks, or plain code. Only the parts for this
// file count. Fails if nothing is left, if the text is not UTF-8 or too long, or if all of it is
// for other files.
Result<ProposedChange> parse_change(std::string_view text, const ChangedFile& file);

}  // namespace redraft
