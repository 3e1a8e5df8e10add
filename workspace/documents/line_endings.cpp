#include "workspace/documents/line_endings.h"

namespace redraft {

std::string with_newlines(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!pair) result += text[i];
  }
  return result;
}

}  // namespace redraft
