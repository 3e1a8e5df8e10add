#pragma once

#include <string>
#include <string_view>

namespace redraft {

// `c` in lower case if it is a capital letter of ASCII, whatever the locale is.
constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// `text` with each capital letter of ASCII in lower case, whatever the locale is.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = lower_case(c);
  return lower;
}

}  // namespace redraft
