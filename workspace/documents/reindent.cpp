#include "workspace/documents/reindent.h"

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"

namespace redraft {

Reindent Reindent::between(std::string_view line, std::string_view there) {
  std::string_view from = indentation_of(line), to = indentation_of(there);
  while (!from.empty() && !to.empty() && from.back() == to.back()) {
    from.remove_suffix(1);
    to.remove_suffix(1);
  }
  return {std::string(from), std::string(to)};
}

std::optional<std::vector<std::string>> Reindent::operator()(
    const std::vector<std::string>& lines) const {
  std::vector<std::string> result;
  for (const std::string& line : lines) {
    const bool is_blank_line = trimmed(line).empty();
    if (!is_blank_line && !line.starts_with(from)) return std::nullopt;
    result.push_back(is_blank_line ? std::string() : to + line.substr(from.size()));
  }
  return result;
}

}  // namespace redraft
