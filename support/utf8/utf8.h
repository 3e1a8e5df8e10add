#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace redraft {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Whether a byte of UTF-8 is a continuation byte, not the first byte of its character.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Whether `offset` is between the bytes of one character of `text`, which is UTF-8.
constexpr bool is_within_character(std::string_view text, std::size_t offset) {
  return offset < text.size() && continues_character(text[offset]);
}

// The offset at which `text` stops being UTF-8 (RFC 3629: no surrogates, no overlong forms, nothing
// above U+10FFFF); nullopt if it never does.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// A character of UTF-8 and the number of its bytes; 0 bytes: it is invalid.
struct Utf8Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};
// The one at the start of `text`, which is not empty.
Utf8Character first_character(std::string_view text);

// Whether all of `text` is UTF-8. If not `complete`, its last character may be cut off.
bool is_utf8(std::string_view text, bool complete = true);

// `text` with U+FFFD in place of NUL and of every byte that is not part of valid UTF-8.
std::string with_replacement_characters(std::string_view text);

// The first characters of `text`, which is UTF-8, in at most `max_bytes`. If any are missing, the
// result ends with "…".
std::string shortened(std::string_view text, std::size_t max_bytes);

}  // namespace redraft
