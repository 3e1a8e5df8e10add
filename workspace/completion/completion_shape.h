#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/completion/seam.h"

namespace redraft {

// How far a completion may go. The text around the cursor decides that before the model runs.
struct CompletionShape {
  bool single_line = true;
  // For several lines: columns of indentation. The completion ends at a later line that is indented
  // less. If the cursor's line opens a block, it also ends at a line with equal indentation, unless
  // that line only closes the block.
  std::size_t indent = 0;
  bool opens_block = false;
  int max_lines = 1;
  // For several lines from the first column on, where indentation does not show what the cursor
  // belongs to: the number of blocks. A block ends at a blank line before a line that is indented
  // no more than the first.
  int max_blocks = 0;
  // The cursor is before a whole line of text, so the completion consists of separate lines.
  bool before_line = false;
  // If a statement may begin at the cursor: the reserved words of the language, separated by
  // spaces. A view that is always valid.
  std::string_view keywords = {};

  friend bool operator==(const CompletionShape&, const CompletionShape&) = default;
};

// Several lines if the cursor's line is blank or opens a block and only closing brackets follow the
// cursor on it; otherwise one. `language_id` determines what opens a block.
CompletionShape completion_shape(std::string_view text, std::size_t offset,
                                 std::string_view language_id, int max_blocks = 1);

// Decides when a completion is complete, while it is written.
class CompletionLimit {
 public:
  CompletionLimit(const CompletionShape& shape, const CursorText& around);

  // False: the completion is complete, and what follows is not part of it.
  bool add(std::string_view bytes);
  // Call it when nothing follows: the last line is complete.
  void finish();
  // The part so far that belongs to the completion, as the model wrote it.
  std::string_view text() const;

 private:
  bool ends_with_line(std::size_t begin, std::size_t end, bool complete);
  bool ends_blocks(std::size_t begin, std::size_t columns);
  bool repeats_suffix(std::size_t begin, std::size_t end);

  CompletionShape shape_;
  std::string_view suffix_;
  bool is_on_own_line_;  // whether nothing is before the cursor on its line
  std::string text_;
  std::size_t end_ = 0;      // of what counts
  std::size_t checked_ = 0;  // begin of the first line that is not judged yet
  std::size_t kept_ = 0;     // what counted before that line
  int lines_ = 0;
  int blocks_ = 0;                    // complete ones
  std::size_t last_block_ = 0;        // begin of the line that ended the last one
  std::optional<std::size_t> first_;  // columns of indentation of the first non-blank line
  bool done_ = false;
  // The lines after the cursor, and how many of them the last lines written repeat.
  std::vector<std::string_view> ahead_;
  std::size_t repeated_ = 0;         // lines
  std::size_t repeated_bytes_ = 0;   // of those lines
  std::size_t before_repeated_ = 0;  // what counted before them
};

// The part of a completion that is worth inserting at the cursor: without what the rest of the line
// has already (part_before_rest), and the lines that follow. With `before_line` (as in
// CompletionShape), the rest of the line is one of these, and lines end with a newline. Otherwise
// it ends with blanks only where they separate it from the rest of the line.
std::string trimmed_completion(std::string_view completion, const CursorText& around,
                               bool before_line = false);

}  // namespace redraft
