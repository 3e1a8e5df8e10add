#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "workspace/apply/indentation.h"
#include "workspace/documents/change_origin.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/reindent.h"

namespace redraft {

// The maximum number of line comparisons for one change. Larger changes to larger files are left to
// the model, because other clients may share the thread. This many comparisons take some 100 ms.
inline constexpr std::size_t kMaxCompared = 5'000'000;

// Lines [begin, end) of a file, numbered from 0, and the lines that replace them.
struct LineSpan {
  int begin = 0;
  int end = 0;
  std::vector<std::string> lines = {};  // without their endings
  // The lines say all that changes: also blanks at their ends, and quotes that only look different.
  bool is_exact = false;
  ChangeOrigin origin = {.decided_by = DecidedBy::kLines};
  std::string doubt = {};  // why the change may be wrong; empty: it is not
  bool empty() const { return begin == end; }
};

// The lines of a document, found by their text without surrounding blanks and as canonical_text(),
// because assistants get indentation and quotes wrong. The document outlives it.
class FileLines {
 public:
  explicit FileLines(const EditRegion& file);

  int size() const { return static_cast<int>(lines_.size()); }
  std::string_view line(int i) const { return lines_[static_cast<std::size_t>(i)]; }
  // The canonical text, without the blanks around it.
  std::string_view text(int i) const { return texts_[static_cast<std::size_t>(i)]; }
  const std::string& text_of_file() const { return file_.document().text(); }
  // Ascending.
  const std::vector<int>& places_of(std::string_view text) const;
  // Whether the lines from `begin` on have these canonical texts, ignoring surrounding blanks.
  bool has_at(int begin, const std::vector<std::string>& lines) const;
  // The lines that are not blank, ascending.
  const std::vector<int>& written() const { return written_; }
  // The line with this byte, and the lines that a range touches.
  int line_of(std::size_t offset) const;
  std::pair<int, int> lines_of(const ByteRange& range) const;
  // Whole lines of the document.
  ByteRange bytes_of(int begin, int end) const;
  const std::optional<IndentStep>& indent_step() const { return step_; }
  bool ends_with_newline() const;
  // The edit that gives the file a newline at its end, or takes it away.
  TextEdit final_newline(bool is_wanted) const;

  // The edits that apply `spans`, which are ascending and disjoint: as few lines as possible, and
  // no line that only differs in trailing blanks or typographic quotes, unless it is exact.
  std::vector<TextEdit> edits(const std::vector<LineSpan>& spans) const;

 private:
  const EditRegion& file_;
  std::vector<std::string_view> lines_, texts_;
  std::deque<std::string> canonical_;  // the texts that are not views into the document
  std::unordered_map<std::string_view, std::vector<int>> places_;  // by texts_
  std::vector<int> written_;
  std::optional<IndentStep> step_;
};

}  // namespace redraft
