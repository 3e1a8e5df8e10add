#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// GPT-2's way of writing bytes as printable characters: a byte that is a visible Latin-1 character
// stands for itself, the 68 others are U+0100, U+0101, … in order (so a space is U+0120).
// Vocabularies and merges are written in it.
std::string to_byte_alphabet(std::string_view bytes);

// The bytes that `spelling` stands for; nothing when a character of it is not of the alphabet.
std::optional<std::string> from_byte_alphabet(std::string_view spelling);

}  // namespace redraft
