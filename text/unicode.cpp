#include "text/unicode.h"

#include <array>
#include <vector>

namespace redraft {
namespace {

struct CodePointRange {
  std::uint32_t first;
  std::uint32_t last;
};

#include "text/unicode_ranges.inc"

constexpr std::uint32_t kCodePoints = 0x110000;

// A character's kind, and one of four values of the two bits above it: no character is two of
// punctuation, numeric and mark. For letters, which are none of these, the values are cases.
constexpr std::uint8_t kKindBits = 3;
constexpr std::uint8_t kPropertyBits = 12;
constexpr std::uint8_t kPunctuation = 4;
constexpr std::uint8_t kNumeric = 8;
constexpr std::uint8_t kMark = 12;
constexpr std::uint8_t kUpper = 4;
constexpr std::uint8_t kLower = 8;

constexpr Character make_character(unsigned traits, std::uint8_t length) {
  const auto kind = static_cast<CharacterKind>(traits & kKindBits);
  const unsigned property = traits & kPropertyBits;
  const bool letter = kind == CharacterKind::kLetter;
  return {.kind = kind,
          .punctuation = !letter && property == kPunctuation,
          .mark = property == kMark,
          .numeric = !letter && property == kNumeric,
          .upper = letter && property == kUpper,
          .lower = letter && property == kLower,
          .length = length};
}

// What is known about every code point, four bits each.
class TraitTable {
 public:
  TraitTable() : packed_(kCodePoints / 2) {
    fill(kLetterRanges, static_cast<unsigned>(CharacterKind::kLetter));
    fill(kNumberRanges, static_cast<unsigned>(CharacterKind::kNumber));
    fill(kSpaceRanges, static_cast<unsigned>(CharacterKind::kSpace));
    fill(kPunctuationRanges, kPunctuation);
    fill(kNumericRanges, kNumeric);
    fill(kMarkRanges, kMark);
    fill(kUpperRanges, kUpper);
    fill(kLowerRanges, kLower);
  }

  Character character(std::uint32_t code_point, std::uint8_t length) const {
    return make_character(static_cast<unsigned>(packed_[code_point / 2]) >> (code_point % 2 * 4),
                          length);
  }

 private:
  template <typename Ranges>
  void fill(const Ranges& ranges, unsigned traits) {
    for (const CodePointRange& range : ranges) {
      for (std::uint32_t c = range.first; c <= range.last; ++c) {
        packed_[c / 2] |= static_cast<std::uint8_t>(traits << (c % 2 * 4));
      }
    }
  }

  std::vector<std::uint8_t> packed_;
};

constexpr std::array<Character, 128> make_ascii() {
  std::array<Character, 128> characters{};
  for (unsigned c = 0; c < 128; ++c) characters[c] = make_character(0, 1);
  for (unsigned c = 'A'; c <= 'Z'; ++c) {
    characters[c].kind = characters[c | 0x20].kind = CharacterKind::kLetter;
    characters[c].upper = characters[c | 0x20].lower = true;
  }
  for (unsigned c = '0'; c <= '9'; ++c) {
    characters[c].kind = CharacterKind::kNumber;
    characters[c].numeric = true;
  }
  characters[' '].kind = CharacterKind::kSpace;
  for (unsigned c = '\t'; c <= '\r'; ++c) characters[c].kind = CharacterKind::kSpace;
  for (const char c : std::string_view("!\"#%&'()*,-./:;?@[\\]_{}")) {
    characters[static_cast<unsigned char>(c)].punctuation = true;
  }
  return characters;
}

constexpr std::array<Character, 128> kAscii = make_ascii();
constexpr Character kStrayByte = make_character(0, 1);

// Decodes one well-formed sequence that is not ASCII (no surrogates, no overlong forms, nothing
// above U+10FFFF).
Character wide_character_at(std::string_view text, std::size_t position) {
  static const TraitTable table;
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return position + i < text.size() ? static_cast<unsigned char>(text[position + i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint32_t lead = byte(0);
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return kStrayByte;
  if (lead < 0xE0) return table.character((lead & 0x1F) << 6 | (byte(1) & 0x3F), 2);
  if (!continues(2)) return kStrayByte;
  if (lead < 0xF0) {
    const std::uint32_t c = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF)) return kStrayByte;
    return table.character(c, 3);
  }
  if (!continues(3)) return kStrayByte;
  const std::uint32_t c =
      (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  if (c < 0x10000 || c >= kCodePoints) return kStrayByte;
  return table.character(c, 4);
}

}  // namespace

Character character_at(std::string_view text, std::size_t position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  return byte < 128 ? kAscii[byte] : wide_character_at(text, position);
}

std::string quoted_in_error(std::string_view text) {
  constexpr std::size_t kShown = 40;
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result = "\"";
  std::size_t i = 0;
  while (i < text.size() && i < kShown) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = character_at(text, i).length;
    if (length == 1 && (byte < 0x20 || byte >= 0x7F)) {
      result += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      result += text.substr(i, length);
    }
    i += length;
  }
  return result + (i < text.size() ? "…\"" : "\"");
}

}  // namespace redraft
