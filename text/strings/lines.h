#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// Removes the text up to the first `end`, and that `end`, from `text`. Returns what was before it;
// without an `end`, all.
inline std::string_view take_until(std::string_view& text, char end) {
  const std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}
inline std::string_view take_line(std::string_view& text) { return take_until(text, '\n'); }

// The parts of `text` that `end` terminates; the last one may lack it. An empty text has no parts.
// Views into it.
inline std::vector<std::string_view> split_terminated(std::string_view text, char end) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(take_until(text, end));
  return parts;
}
inline std::vector<std::string_view> split_lines(std::string_view text) {
  return split_terminated(text, '\n');
}

// The lines of `text` with their newlines, which the last one may not have. Views into it.
inline std::vector<std::string_view> lines_with_newlines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// The parts of `text` between separators: one more than there are separators. Views into it.
inline std::vector<std::string_view> split_separated(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != std::string_view::npos;) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

// The lines one after the other, each with a newline.
template <typename Lines>
std::string text_of_lines(const Lines& lines) {
  std::string text;
  for (const auto& line : lines) (text += line) += '\n';
  return text;
}

}  // namespace redraft
