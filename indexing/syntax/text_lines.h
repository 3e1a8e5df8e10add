#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

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

}  // namespace redraft
