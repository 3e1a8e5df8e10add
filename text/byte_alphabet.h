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

// SentencePiece's way of writing tokens, which Gemma 4's vocabulary keeps: U+2581 is a space, and
// everything else is itself. Always has a value.
std::optional<std::string> from_marked_spaces(std::string_view spelling);

// The byte that SentencePiece writes as <0x0A>, with two capital hexadecimal digits; nothing if
// `spelling` is something else.
std::optional<std::string> from_byte_spelling(std::string_view spelling);

}  // namespace redraft
