#pragma once

#include <string_view>

namespace redraft {

// Everything that ASCII counts as white space.
inline constexpr std::string_view kAnyBlank = " \t\r\n\f\v";

// Whether `text` contains nothing but `blanks`. An empty text is blank.
constexpr bool is_blank_text(std::string_view text, std::string_view blanks = " \t\r\n") {
  return text.find_first_not_of(blanks) == std::string_view::npos;
}

}  // namespace redraft
