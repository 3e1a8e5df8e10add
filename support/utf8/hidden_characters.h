#pragma once

#include <string>
#include <string_view>

namespace redraft {

// Whether a character shows nothing itself but changes what a terminal does or how the text around
// it is read: control characters (except for tabs and line ends), those that change the direction
// of text, and those without width. They can make code look different from what it does (Boucher
// and Anderson 2021, "Trojan Source").
bool is_hidden_character(char32_t code);

// `text` as a terminal may show it: hidden characters and invalid bytes as escapes, as `less` shows
// them: ^[, <U+202E>, <9B>. Tabs and line feeds stay, and so do a carriage return before a line
// feed and joiners between characters beyond ASCII, which many scripts and emoji need.
std::string visible_text(std::string_view text);

}  // namespace redraft
