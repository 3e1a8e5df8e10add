#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace redraft {

// What a pre-tokeniser's pattern can tell apart: \p{L}, \p{N}, \s and the rest.
enum class CharacterKind : std::uint8_t { kSymbol, kLetter, kNumber, kSpace };

// One character of a text: its kind and how many bytes it takes.
struct Character {
  CharacterKind kind;
  bool punctuation;  // \p{P}: some of the symbols
  bool numeric;      // what the package's Digits cuts out: \p{N}, and numbers of a later Unicode
  std::uint8_t length;
};

// The character at `position` < text.size(). A byte that begins no well-formed UTF-8 sequence is a
// symbol of one byte: neither letter nor number nor space, so any bytes whatever can be split and
// put together again.
Character character_at(std::string_view text, std::size_t position);

// A piece of a file in an error message: quoted, short, on one line, and UTF-8 whatever the file
// holds.
std::string quoted_in_error(std::string_view text);

}  // namespace redraft
