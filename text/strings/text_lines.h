#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "support/byte_range.h"

namespace redraft {

inline bool is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\f';
}
inline bool is_space(char byte) { return is_blank(byte) || byte == '\n'; }

// The position after the newline before `offset`.
inline std::size_t line_start(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// The position of the newline that ends the line of `offset`, or the end of the text.
inline std::size_t line_end(std::string_view text, std::size_t offset) {
  const std::size_t newline = text.find('\n', offset);
  return newline == std::string_view::npos ? text.size() : newline;
}

// The first byte at or after `offset` that is not a blank.
inline std::size_t skip_blanks(std::string_view text, std::size_t offset) {
  while (offset < text.size() && is_blank(text[offset])) ++offset;
  return offset;
}

inline std::size_t skip_space(std::string_view text, std::size_t offset) {
  while (offset < text.size() && is_space(text[offset])) ++offset;
  return offset;
}

// The blanks that a line begins with.
inline std::string_view indentation_of(std::string_view line) {
  return line.substr(0, skip_blanks(line, 0));
}

// The size of the least indentation of lines that are not blank; 0 if all are.
template <typename Lines>
std::size_t least_indentation(const Lines& lines) {
  std::optional<std::size_t> least;
  for (const std::string_view line : lines) {
    const std::size_t size = indentation_of(line).size();
    if (size < line.size()) least = std::min(least.value_or(size), size);
  }
  return least.value_or(0);
}

// Whether only blanks (or a byte order mark) precede it on its line.
inline bool begins_line(std::string_view text, std::size_t offset) {
  while (offset > 0 && is_blank(text[offset - 1])) --offset;
  return offset == 0 || text[offset - 1] == '\n' ||
         (offset == 3 && text.substr(0, 3) == "\xEF\xBB\xBF");
}

// The end of `range` without the blanks and newlines before it.
inline std::size_t without_space(std::string_view text, const ByteRange& range) {
  std::size_t end = range.end;
  while (end > range.begin && is_space(text[end - 1])) --end;
  return end;
}

// A place before or after a line's text counts as that text.
inline std::size_t beside(std::string_view text, std::size_t offset) {
  std::size_t start = line_start(text, offset);
  if (start == 0 && text.starts_with("\xEF\xBB\xBF")) start = 3;
  const std::size_t end = line_end(text, offset);
  const std::size_t first = skip_blanks(text, start);
  if (first >= end) return offset;
  if (offset <= first) return first;
  if (skip_blanks(text, offset) < end) return offset;
  return without_space(text, {first, std::max(offset, first + 1)}) - 1;
}

// Whether the text at `end` begins on the same line as what ends at `begin`, or on the next.
inline bool follows(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view gap = text.substr(begin, end - begin);
  return std::all_of(gap.begin(), gap.end(), is_space) &&
         std::count(gap.begin(), gap.end(), '\n') <= 1;
}

// From the beginning of its first line to behind the newline of its last.
inline ByteRange whole_lines(std::string_view text, const ByteRange& range) {
  // Some nodes end behind the newline, at the beginning of the next line.
  const std::size_t last = range.empty() ? range.begin : range.end - 1;
  return {line_start(text, range.begin), std::min(line_end(text, last) + 1, text.size())};
}

}  // namespace redraft
