#pragma once

#include <string>

namespace redraft {

// Twelve functions that call old(x), each on a line of its own kind, far enough apart to be
// separate places of a next edit.
inline std::string many_calls() {
  std::string text;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    text += "def function_" + n + "(x):\n    first = " + n + "\n    second = first * " + n +
            "\n    third = second - first\n    return " + n + " + old(x) + third\n\n\n";
  }
  return text;
}

}  // namespace redraft
