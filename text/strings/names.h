#pragma once

#include <cstddef>
#include <string_view>

namespace redraft {

// Whether `byte` may be part of a name in any of the usual languages; letters beyond ASCII count.
constexpr bool is_name_byte(char byte) {
  const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  const bool is_digit = byte >= '0' && byte <= '9';
  return is_letter || is_digit || byte == '_' || byte == '$' ||
         static_cast<unsigned char>(byte) >= 0x80;
}

// Where `name` occurs in `text` as a whole name, not as a part of another name, at or after `from`;
// npos: nowhere. An empty name occurs nowhere.
constexpr std::size_t find_name(std::string_view text, std::string_view name,
                                std::size_t from = 0) {
  if (name.empty()) return std::string_view::npos;
  for (std::size_t at = text.find(name, from); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_name_byte(text[at - 1]);
    if (begins && (end == text.size() || !is_name_byte(text[end]))) return at;
  }
  return std::string_view::npos;
}

constexpr bool has_name(std::string_view text, std::string_view name) {
  return find_name(text, name) != std::string_view::npos;
}

// Calls `take` with each name in `text`, from the first to the last. A word that begins with a
// digit is not a name.
template <typename Take>
void for_each_name(std::string_view text, const Take& take) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_name_byte(text[end])) ++end;
    if (end > begin && (text[begin] < '0' || text[begin] > '9'))
      take(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace redraft
