#pragma once

#include <string>
#include <string_view>

namespace redraft {

// The texts in `parts` one after the other, with `separator` between two.
template <typename Parts>
std::string joined(const Parts& parts, std::string_view separator) {
  std::string text;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!is_first) text += separator;
    text += part;
    is_first = false;
  }
  return text;
}

}  // namespace redraft
