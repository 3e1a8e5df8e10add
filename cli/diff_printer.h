#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/documents/unified_diff.h"

namespace redraft::cli {

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
