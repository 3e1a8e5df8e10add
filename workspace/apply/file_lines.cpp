#include "workspace/apply/file_lines.h"

#include <algorithm>
#include <numeric>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/documents/diff.h"

namespace redraft {
namespace {

std::string_view without_blanks_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r\f") + 1);
}

}  // namespace

FileLines::FileLines(const EditRegion& file) : file_(file), lines_(file.lines()) {
  for (int i = 0; i < size(); ++i) {
    texts_.push_back(trimmed(line(i)));
    places_[texts_.back()].push_back(i);
  }
}

const std::vector<int>& FileLines::places_of(std::string_view text) const {
  static const std::vector<int> kNone;
  const auto found = places_.find(text);
  return found == places_.end() ? kNone : found->second;
}

bool FileLines::has_at(int begin, const std::vector<std::string>& lines) const {
  const int n_lines = static_cast<int>(lines.size());
  if (begin < 0 || begin + n_lines > size()) return false;
  for (int i = 0; i < n_lines; ++i) {
    if (text(begin + i) != trimmed(lines[static_cast<std::size_t>(i)])) return false;
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

bool FileLines::indents_with_tabs() const {
  int tabs = 0, spaces = 0;
  for (const std::string_view line : lines_) {
    tabs += line.starts_with('\t');
    spaces += line.starts_with("  ");
  }
  return tabs > spaces;
}

std::vector<TextEdit> FileLines::edits(const std::vector<LineSpan>& spans) const {
  std::vector<TextEdit> edits;
  for (const LineSpan& span : spans) {
    std::vector<std::string_view> before, after;
    for (int i = span.begin; i < span.end; ++i) before.push_back(without_blanks_behind(line(i)));
    for (const std::string& line : span.lines) after.push_back(without_blanks_behind(line));
    for (LineChange& change : diff_lines(before, after)) {
      change.old_begin += span.begin;
      change.old_end += span.begin;
      edits.push_back(file_.edit(change));
    }
  }
  return edits;
}

void indent_with_tabs(std::vector<std::string>& lines) {
  std::size_t unit = 0;
  for (const std::string& line : lines) {
    const std::string_view indentation = indentation_of(line);
    if (indentation.find_first_not_of(' ') != std::string_view::npos) return;
    if (indentation.size() < line.size()) unit = std::gcd(unit, indentation.size());
  }
  if (unit < 2) return;
  for (std::string& line : lines) {
    const std::size_t width = indentation_of(line).size();
    line.replace(0, width, std::string(width / unit, '\t'));
  }
}

}  // namespace redraft
