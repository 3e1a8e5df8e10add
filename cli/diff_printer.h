#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/edit/edit_result.h"

namespace redraft::cli {

// Whole lines of a text that change, as a line diff shows them; line endings are included.
struct PrintedChange {
  std::size_t first = 0;  // 0-based, in the old text
  std::vector<std::string> old_lines;
  std::vector<std::string> new_lines;
};

// The lines that `edits` (ascending, disjoint, against `text`) change. Edits that share a line make
// one change.
std::vector<PrintedChange> printed_changes(std::string_view text,
                                           const std::vector<TextEdit>& edits);

// The whole unified diff with three lines of context, in the format of `patch`. Empty if nothing
// changes.
std::string unified_diff(const std::string& path, std::string_view text,
                         const std::vector<TextEdit>& edits);

// Shows hunks on a terminal as they become final. The lines after a hunk are known to be unchanged
// only when the next one comes, so they are written then.
class LiveDiff {
 public:
  // `text` outlives this object.
  LiveDiff(std::ostream& out, std::string path, std::string_view text, bool colour);
  void add(const TextEdit& edit);
  void finish();

 private:
  void show_unfinished();
  void show(const PrintedChange& change);
  void context(std::size_t begin, std::size_t end);
  void styled(const char* style, const std::string& line);

  std::ostream& out_;
  std::string path_;
  std::string_view text_;
  bool colour_;
  std::vector<std::string> lines_;
  std::vector<TextEdit> unfinished_;  // edits whose last line later ones may share
  std::size_t shown_ = 0;             // old lines before this one are done
  std::ptrdiff_t shift_ = 0;          // new lines minus old lines so far
  bool any_ = false;
};

}  // namespace redraft::cli
