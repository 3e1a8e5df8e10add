#include "decoding/text/unicode.h"

#include <array>
#include <vector>

namespace redraft {
namespace {

struct CodePointRange {
  std::uint32_t first;
  std::uint32_t last;
};

#include "decoding/text/unicode_ranges.inc"

constexpr std::uint32_t kCodePoints = 0x110000;

// The kind of every code point, two bits each.
class KindTable {
 public:
  KindTable() : packed_(kCodePoints / 4) {
    for (const CodePointRange& range : kLetterRanges) fill(range, CharacterKind::kLetter);
    for (const CodePointRange& range : kNumberRanges) fill(range, CharacterKind::kNumber);
    for (const CodePointRange& range : kSpaceRanges) fill(range, CharacterKind::kSpace);
  }

  CharacterKind operator[](std::uint32_t code_point) const {
    return static_cast<CharacterKind>(packed_[code_point / 4] >> (code_point % 4 * 2) & 3);
  }

 private:
  void fill(const CodePointRange& range, CharacterKind kind) {
    for (std::uint32_t c = range.first; c <= range.last; ++c) {
      packed_[c / 4] |= static_cast<std::uint8_t>(static_cast<unsigned>(kind) << (c % 4 * 2));
    }
  }

  std::vector<std::uint8_t> packed_;
};

constexpr std::array<CharacterKind, 128> make_ascii_kinds() {
  std::array<CharacterKind, 128> kinds{};
  for (unsigned c = 0; c < 128; ++c) {
    const unsigned lower = c | 0x20;
    if (lower >= 'a' && lower <= 'z') kinds[c] = CharacterKind::kLetter;
    if (c >= '0' && c <= '9') kinds[c] = CharacterKind::kNumber;
    if (c == ' ' || (c >= '\t' && c <= '\r')) kinds[c] = CharacterKind::kSpace;
  }
  return kinds;
}

constexpr std::array<CharacterKind, 128> kAsciiKinds = make_ascii_kinds();
constexpr Character kStrayByte{CharacterKind::kSymbol, 1};

// Text that is not ASCII: decodes one well-formed sequence (no surrogates, no overlong forms,
// nothing above U+10FFFF).
Character wide_character_at(std::string_view text, std::size_t position) {
  static const KindTable kinds;
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return position + i < text.size() ? static_cast<unsigned char>(text[position + i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint32_t lead = byte(0);
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return kStrayByte;
  if (lead < 0xE0) return {kinds[(lead & 0x1F) << 6 | (byte(1) & 0x3F)], 2};
  if (!continues(2)) return kStrayByte;
  if (lead < 0xF0) {
    const std::uint32_t c = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (c < 0x800 || (c >= 0xD800 && c <= 0xDFFF)) return kStrayByte;
    return {kinds[c], 3};
  }
  if (!continues(3)) return kStrayByte;
  const std::uint32_t c =
      (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  if (c < 0x10000 || c >= kCodePoints) return kStrayByte;
  return {kinds[c], 4};
}

}  // namespace

Character character_at(std::string_view text, std::size_t position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  return byte < 128 ? Character{kAsciiKinds[byte], 1} : wide_character_at(text, position);
}

}  // namespace redraft
