#include "workspace/apply/file_lines.h"

#include <algorithm>

#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/file_sections.h"
#include "workspace/documents/diff.h"

namespace redraft {
namespace {

std::string_view without_blanks_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r\f") + 1);
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
}

// The lines as edits() compares them.
std::vector<std::string> compared(const std::vector<std::string_view>& lines, bool is_exact) {
  std::vector<std::string> result;
  for (const std::string_view line : lines)
    result.push_back(is_exact ? std::string(line) : canonical_text(without_blanks_behind(line)));
  return result;
}

std::vector<std::string_view> views(const std::vector<std::string>& lines) {
  return {lines.begin(), lines.end()};
}

}  // namespace

FileLines::FileLines(const EditRegion& file)
    : file_(file), lines_(file.lines()), step_(indent_step_of(lines_)) {
  if (has_tabs_in_sections(file.document().language())) step_ = IndentStep{};
  for (int i = 0; i < size(); ++i) {
    std::string_view text = trimmed(line(i));
    if (!is_ascii(text)) text = canonical_.emplace_back(trimmed(canonical_text(text)));
    texts_.push_back(text);
    places_[text].push_back(i);
    if (!text.empty()) written_.push_back(i);
  }
}

const std::vector<int>& FileLines::places_of(std::string_view text) const {
  static const std::vector<int> kNone;
  const auto found =
      is_ascii(text) ? places_.find(text) : places_.find(trimmed(canonical_text(text)));
  return found == places_.end() ? kNone : found->second;
}

bool FileLines::has_at(int begin, const std::vector<std::string>& lines) const {
  const int n_lines = static_cast<int>(lines.size());
  if (begin < 0 || begin + n_lines > size()) return false;
  for (int i = 0; i < n_lines; ++i) {
    const std::string_view line = lines[static_cast<std::size_t>(i)];
    const bool is_same = is_ascii(line) ? text(begin + i) == trimmed(line)
                                        : text(begin + i) == trimmed(canonical_text(line));
    if (!is_same) return false;
  }
  return true;
}

int FileLines::line_of(std::size_t offset) const {
  return std::min(file_.document().lines().line_of(offset), size());
}

std::pair<int, int> FileLines::lines_of(const ByteRange& range) const {
  const int begin = line_of(range.begin);
  return {begin, range.empty() ? begin : std::min(line_of(range.end - 1) + 1, size())};
}

ByteRange FileLines::bytes_of(int begin, int end) const {
  const LineIndex& index = file_.document().lines();
  return {std::max(index.start(begin), file_.range().begin), index.start(end)};
}

bool FileLines::ends_with_newline() const {
  const std::string& text = file_.document().text();
  return text.ends_with('\n') || text.ends_with('\r');
}

TextEdit FileLines::final_newline(bool is_wanted) const {
  const std::string& text = file_.document().text();
  if (is_wanted) {
    const bool has_crlf = text.find("\r\n") != std::string::npos;
    return {{text.size(), text.size()}, has_crlf ? "\r\n" : "\n"};
  }
  const std::size_t size = text.ends_with("\r\n") ? 2 : 1;
  return {{text.size() - size, text.size()}, {}};
}

std::vector<TextEdit> FileLines::edits(const std::vector<LineSpan>& spans) const {
  std::vector<TextEdit> edits;
  for (const LineSpan& span : spans) {
    const auto begin = lines_.begin() + span.begin;
    const std::vector<std::string> before =
        compared({begin, begin + (span.end - span.begin)}, span.is_exact);
    const std::vector<std::string> after = compared(views(span.lines), span.is_exact);
    int moved = 0;  // how many lines more than before are behind the changes so far
    for (LineChange& change : diff_lines(views(before), views(after))) {
      const int n_new = static_cast<int>(change.new_lines.size());
      for (int i = 0; i < n_new; ++i) {
        const int at = change.old_begin + moved + i;
        const std::string& line = span.lines[static_cast<std::size_t>(at)];
        change.new_lines[static_cast<std::size_t>(i)] =
            span.is_exact ? line : std::string(without_blanks_behind(line));
      }
      moved += n_new - (change.old_end - change.old_begin);
      change.old_begin += span.begin;
      change.old_end += span.begin;
      edits.push_back(file_.edit(change));
    }
  }
  return edits;
}

}  // namespace redraft
