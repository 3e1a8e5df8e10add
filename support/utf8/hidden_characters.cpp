#include "support/utf8/hidden_characters.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft {
namespace {

constexpr char32_t kNonJoiner = 0x200C, kJoiner = 0x200D;

// First and last of each.
constexpr std::array<std::pair<char32_t, char32_t>, 15> kHidden = {{
    {0x00, 0x08},
    {0x0B, 0x1F},
    {0x7F, 0x9F},
    {0xAD, 0xAD},  // soft hyphen
    {0x034F, 0x034F},
    {0x061C, 0x061C},
    {0x115F, 0x1160},  // fillers, which have width but no ink
    {0x17B4, 0x17B5},
    {0x180E, 0x180E},
    {0x200B, 0x200F},
    {0x2028, 0x202E},  // separators and directions
    {0x2060, 0x206F},
    {0x3164, 0x3164},
    {0xFEFF, 0xFEFF},
    {0xE0000, 0xE007F},  // tags
}};

std::string escape_of(char32_t code) {
  if (code < 0x20 || code == 0x7F) return {'^', static_cast<char>(code ^ 0x40)};
  char text[16];
  std::snprintf(text, sizeof text, "<U+%04X>", static_cast<unsigned>(code));
  return text;
}

std::string escape_of_byte(char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "<%02X>", static_cast<unsigned char>(byte));
  return text;
}

// Whether a joiner stands between two characters that it may join.
bool joins(std::string_view text, std::size_t at, std::size_t bytes) {
  const auto is_beyond_ascii = [&](std::size_t i) {
    return i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80;
  };
  return at > 0 && is_beyond_ascii(at - 1) && is_beyond_ascii(at + bytes);
}

}  // namespace

bool is_hidden_character(char32_t code) {
  return std::ranges::any_of(
      kHidden, [code](const auto& range) { return code >= range.first && code <= range.second; });
}

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = first_character(text.substr(at));
    if (bytes == 0) {
      out += escape_of_byte(text[at++]);
      continue;
    }
    const bool ends_line = code == '\r' && text.substr(at + 1).starts_with('\n');
    const bool is_joiner = code == kJoiner || code == kNonJoiner;
    const bool stays =
        !is_hidden_character(code) || ends_line || (is_joiner && joins(text, at, bytes));
    if (stays) {
      out += text.substr(at, bytes);
    } else {
      out += escape_of(code);
    }
    at += bytes;
  }
  return out;
}

}  // namespace redraft
