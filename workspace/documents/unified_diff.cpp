#include "workspace/documents/unified_diff.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "text/strings/lines.h"

namespace redraft {
namespace {

std::vector<std::string> copied_lines(std::string_view text) {
  const std::vector<std::string_view> lines = lines_with_newlines(text);
  return {lines.begin(), lines.end()};
}

bool at_line_start(std::string_view text, std::size_t offset) {
  return offset == 0 || text[offset - 1] == '\n';
}

std::string apply_within(std::string_view text, ByteRange range, std::span<const TextEdit> edits) {
  std::string result;
  std::size_t at = range.begin;
  for (const TextEdit& edit : edits) {
    result.append(text.substr(at, edit.range.begin - at)).append(edit.new_text);
    at = edit.range.end;
  }
  return result.append(text.substr(at, range.end - at));
}

PrintedChange change_of(std::string_view text, ByteRange range, std::span<const TextEdit> edits) {
  const std::vector<std::string> old_lines = copied_lines(text.substr(range.begin, range.size()));
  const std::vector<std::string> new_lines = copied_lines(apply_within(text, range, edits));
  const auto [old_first, new_first] =
      std::mismatch(old_lines.begin(), old_lines.end(), new_lines.begin(), new_lines.end());
  const auto [old_last, new_last] =
      std::mismatch(old_lines.rbegin(), std::make_reverse_iterator(old_first), new_lines.rbegin(),
                    std::make_reverse_iterator(new_first));
  PrintedChange change;
  change.first = static_cast<std::size_t>(
      std::count(text.begin(), text.begin() + range.begin, '\n') + (old_first - old_lines.begin()));
  change.old_lines.assign(old_first, old_last.base());
  change.new_lines.assign(new_first, new_last.base());
  return change;
}

// "12,3": `count` lines as in a hunk header; an empty range is named by the line before it.
std::string span_of(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) +
         (count == 1 ? "" : "," + std::to_string(count));
}

void append_line(std::string& out, char sign, const std::string& line) {
  out.append(1, sign).append(line);
  if (!line.ends_with('\n')) out.append("\n\\ No newline at end of file\n");
}

// One hunk of a unified diff, for changes that are close together. `shift` is the number of new
// lines minus old lines before it.
std::string unified_hunk(const std::vector<std::string>& lines,
                         std::span<const PrintedChange> changes, std::ptrdiff_t& shift) {
  const PrintedChange& last = changes.back();
  const std::size_t begin = changes.front().first - std::min(changes.front().first, kDiffContext);
  const std::size_t end = std::min(last.first + last.old_lines.size() + kDiffContext, lines.size());
  std::string body;
  std::size_t at = begin;
  std::ptrdiff_t grown = 0;
  for (const PrintedChange& change : changes) {
    for (; at < change.first; ++at) append_line(body, ' ', lines[at]);
    for (const std::string& line : change.old_lines) append_line(body, '-', line);
    for (const std::string& line : change.new_lines) append_line(body, '+', line);
    at += change.old_lines.size();
    grown += std::ssize(change.new_lines) - std::ssize(change.old_lines);
  }
  for (; at < end; ++at) append_line(body, ' ', lines[at]);
  const std::size_t old_count = end - begin;
  const std::string header = "@@ -" + span_of(begin, old_count) + " +" +
                             span_of(begin + shift, old_count + grown) + " @@\n";
  shift += grown;
  return header + body;
}

}  // namespace

bool ends_with_its_lines(std::string_view text, const TextEdit& edit) {
  if (edit.range.end == text.size()) return true;
  if (!at_line_start(text, edit.range.end)) return false;
  return edit.new_text.empty() ? at_line_start(text, edit.range.begin)
                               : edit.new_text.back() == '\n';
}

ByteRange whole_lines(std::string_view text, const TextEdit& edit) {
  ByteRange lines = edit.range;
  while (!at_line_start(text, lines.begin)) --lines.begin;
  if (!ends_with_its_lines(text, edit)) {
    const std::size_t newline = text.find('\n', lines.end);
    lines.end = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  return lines;
}

std::vector<PrintedChange> printed_changes(std::string_view text,
                                           const std::vector<TextEdit>& edits) {
  std::vector<PrintedChange> changes;
  for (std::size_t first = 0; first < edits.size();) {
    ByteRange range = whole_lines(text, edits[first]);
    std::size_t next = first + 1;
    for (; next < edits.size() && whole_lines(text, edits[next]).begin < range.end; ++next) {
      range.end = std::max(range.end, whole_lines(text, edits[next]).end);
    }
    PrintedChange change = change_of(text, range, std::span(edits).subspan(first, next - first));
    if (!change.old_lines.empty() || !change.new_lines.empty())
      changes.push_back(std::move(change));
    first = next;
  }
  return changes;
}

std::string unified_diff(const std::string& path, std::string_view text,
                         const std::vector<TextEdit>& edits) {
  const std::vector<std::string> lines = copied_lines(text);
  const std::vector<PrintedChange> changes = printed_changes(text, edits);
  if (changes.empty()) return "";
  std::string diff = "--- " + path + "\n+++ " + path + "\n";
  std::ptrdiff_t shift = 0;
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t next = first + 1;
    while (next < changes.size() && changes[next].first <= changes[next - 1].first +
                                                               changes[next - 1].old_lines.size() +
                                                               2 * kDiffContext) {
      ++next;
    }
    diff += unified_hunk(lines, std::span(changes).subspan(first, next - first), shift);
    first = next;
  }
  return diff;
}

}  // namespace redraft
