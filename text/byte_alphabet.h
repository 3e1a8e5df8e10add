#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// GPT-2's way of writing bytes as printable characters: a byte that is a visible Latin-1 character
// is written as itself, the 68 others as U+0100, U+0101, … in order (so a space is U+0120).
// Vocabularies and merges are written in this alphabet.
std::string to_byte_alphabet(std::string_view bytes);

// The bytes that `spelling` represents; nothing if it contains a character outside the alphabet.
std::optional<std::string> from_byte_alphabet(std::string_view spelling);

}  // namespace redraft
