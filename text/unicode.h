#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace redraft {

// The classes that a pre-tokeniser's pattern distinguishes: \p{L}, \p{N}, \s and the rest.
enum class CharacterKind : std::uint8_t { kSymbol, kLetter, kNumber, kSpace };

// One character of a text: its kind and how many bytes it takes. Four bytes, because it is read
// from a table for every character.
struct alignas(4) Character {
  CharacterKind kind;
  bool punctuation : 1;  // \p{P}, a subset of the symbols
  bool mark : 1;         // \p{M}, another
  bool numeric : 1;      // what the package's Digits splits off: \p{N}, and later Unicode's numbers
  bool upper : 1;        // \p{Lu} or \p{Lt}, a subset of the letters
  bool lower : 1;        // \p{Ll}, another
  std::uint8_t length;
};

// The character at `position` < text.size(). A byte that does not begin a well-formed UTF-8
// sequence is a symbol of one byte: neither letter nor number nor space, so any bytes can be split
// and put together again.
Character character_at(std::string_view text, std::size_t position);

// A piece of a file for an error message: quoted, short, on one line, and valid UTF-8 whatever the
// file contains.
std::string quoted_in_error(std::string_view text);

}  // namespace redraft
