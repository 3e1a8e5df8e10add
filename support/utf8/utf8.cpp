#include "support/utf8/utf8.h"

#include <cstdint>
#include <cstring>

namespace redraft {
namespace {
// The length in bytes of the character at the start of `text`, 0 if it is invalid. `text` is not
// empty.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return 0;
  }
  // The second byte rules out overlong forms, surrogates and characters above U+10FFFF.
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

// Whether `text` could be completed to one character. It is enough to try the lowest and the
// highest continuation byte: each first byte allows one of the two as the second.
bool is_beginning_of_character(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  if (text.empty() || text.size() >= kLongest) return false;
  for (const char next : {'\x80', '\xBF'}) {
    const std::string whole = std::string(text) + std::string(kLongest - text.size(), next);
    if (character_length(whole) > text.size()) return true;
  }
  return false;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  const std::size_t length = character_length(text);
  if (length == 0) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {code, length};
}

bool is_utf8(std::string_view text, bool complete) {
  const std::optional<std::size_t> invalid = first_invalid_utf8(text);
  return !invalid || (!complete && is_beginning_of_character(text.substr(*invalid)));
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t position = 0;
  while (position < text.size()) {
    std::uint64_t word = 0;
    if (text.size() - position >= sizeof(word)) {
      std::memcpy(&word, text.data() + position, sizeof(word));
      if ((word & kHighBits) == 0) {
        position += sizeof(word);
        continue;
      }
    }
    const std::size_t length = character_length(text.substr(position));
    if (length == 0) return position;
    position += length;
  }
  return std::nullopt;
}

std::string with_replacement_characters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = text[0] == '\0' ? 0 : character_length(text);
    result += length ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(length ? length : 1);
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  while (end > 0 && is_within_character(text, end)) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace redraft
