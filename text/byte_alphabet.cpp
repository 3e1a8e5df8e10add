#include "text/byte_alphabet.h"

#include <algorithm>
#include <array>

namespace redraft {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr int kAlphabetEnd = 0x100 + 68;

struct Alphabet {
  std::array<int, 256> character_of_byte{};
  std::array<int, kAlphabetEnd> byte_of_character{};  // -1 if there is none
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  for (int& byte : alphabet.byte_of_character) byte = -1;
  int next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const int character = stands_for_itself(byte) ? byte : next++;
    alphabet.character_of_byte[static_cast<std::size_t>(byte)] = character;
    alphabet.byte_of_character[static_cast<std::size_t>(character)] = byte;
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string spelling;
  spelling.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const int character = kAlphabet.character_of_byte[static_cast<unsigned char>(c)];
    if (character < 0x80) {
      spelling += static_cast<char>(character);
    } else {
      spelling += static_cast<char>(0xC0 | character >> 6);
      spelling += static_cast<char>(0x80 | (character & 0x3F));
    }
  }
  return spelling;
}

std::optional<std::string> from_byte_alphabet(std::string_view spelling) {
  std::string bytes;
  bytes.reserve(spelling.size());
  for (std::size_t i = 0; i < spelling.size(); ++i) {
    const auto lead = static_cast<unsigned char>(spelling[i]);
    std::size_t character = lead;
    if (lead >= 0x80) {  // the alphabet ends at U+0143: two bytes at most
      const auto next = i + 1 < spelling.size() ? static_cast<unsigned char>(spelling[++i]) : 0;
      if (lead < 0xC2 || lead > 0xDF || (next & 0xC0) != 0x80) return std::nullopt;
      character = static_cast<std::size_t>((lead & 0x1F) << 6 | (next & 0x3F));
    }
    if (character >= kAlphabetEnd || kAlphabet.byte_of_character[character] < 0)
      return std::nullopt;
    bytes += static_cast<char>(kAlphabet.byte_of_character[character]);
  }
  return bytes;
}

std::optional<std::string> from_marked_spaces(std::string_view spelling) {
  constexpr std::string_view kSpace = "\u2581";
  std::string bytes;
  bytes.reserve(spelling.size());
  while (!spelling.empty()) {
    const std::size_t text_end = std::min(spelling.find(kSpace), spelling.size());
    bytes += spelling.substr(0, text_end);
    spelling.remove_prefix(text_end);
    if (spelling.empty()) break;
    bytes += ' ';
    spelling.remove_prefix(kSpace.size());
  }
  return bytes;
}

std::optional<std::string> from_byte_spelling(std::string_view spelling) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::size_t kSize = 6;
  if (spelling.size() != kSize || !spelling.starts_with("<0x") || !spelling.ends_with('>'))
    return std::nullopt;
  const std::size_t high = kHex.find(spelling[3]);
  const std::size_t low = kHex.find(spelling[4]);
  if (high == kHex.npos || low == kHex.npos) return std::nullopt;
  return std::string(1, static_cast<char>(high << 4 | low));
}

}  // namespace redraft
