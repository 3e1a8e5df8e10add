#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// How far a completion may go, which the text around its place decides before the model is asked.
struct CompletionShape {
  bool single_line = true;
  // Of several lines: columns of indentation. A line behind the first that is indented less ends
  // the completion, and so does one that is indented as much where the place opens a block, unless
  // it does nothing but close that block.
  std::size_t indent = 0;
  bool opens_block = false;
  int max_lines = 1;
  // Of several lines from the first column on, where no indentation tells what the place belongs
  // to: so many blocks, each ended by a blank line before one that is indented no more than the
  // first.
  int max_blocks = 0;
  // The place is before the whole of a line with text, so what comes is lines of its own.
  bool before_line = false;

  friend bool operator==(const CompletionShape&, const CompletionShape&) = default;
};

// Several lines where a line begins, and where nothing but closing brackets stands behind the place
// and the line is blank or opens a block. `language_id` tells what opens one.
CompletionShape completion_shape(std::string_view text, std::size_t offset,
                                 std::string_view language_id, int max_blocks = 1);

// A completion as it is written: says when there is no more to wait for.
class CompletionLimit {
 public:
  // `suffix`: the text behind the place; it outlives this.
  CompletionLimit(const CompletionShape& shape, std::string_view suffix);

  // False: the completion is complete, and what follows is not part of it.
  bool add(std::string_view bytes);
  // Nothing follows: the last line is as it is.
  void finish();
  // All so far that is part of the completion, as the model wrote it.
  std::string_view text() const;

 private:
  bool ends_with_line(std::size_t begin, std::size_t end, bool complete);
  bool ends_blocks(std::size_t begin, std::size_t columns);
  bool repeats_suffix(std::size_t begin, std::size_t end);

  CompletionShape shape_;
  std::string_view suffix_;
  std::string text_;
  std::size_t end_ = 0;      // of what counts
  std::size_t checked_ = 0;  // begin of the first line that is not judged yet
  std::size_t kept_ = 0;     // what counted before that line
  int lines_ = 0;
  int blocks_ = 0;                    // complete ones
  std::size_t last_block_ = 0;        // begin of the line that ended the last one
  std::optional<std::size_t> first_;  // columns of indentation of the first line that is not blank
  bool done_ = false;
  // What stands behind the place, line by line, and how much of it the last lines repeat.
  std::vector<std::string_view> ahead_;
  std::size_t repeated_ = 0;         // lines
  std::size_t repeated_bytes_ = 0;   // of them
  std::size_t before_repeated_ = 0;  // what counted before them
};

// What of a completion is worth inserting before `suffix`: without blanks at its end, brackets that
// `suffix` closes already, and lines that `suffix` begins with. With `before_line` (as in
// CompletionShape) the line that `suffix` begins with is one of these, and lines end with a
// newline.
std::string trimmed_completion(std::string_view completion, std::string_view suffix,
                               bool before_line = false);

}  // namespace redraft
