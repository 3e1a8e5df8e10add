#include "workspace/documents/indent_unit.h"

#include <algorithm>
#include <array>
#include <optional>

#include "text/strings/blank_text.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// A smaller or larger step to the right aligns something.
constexpr int kMinWidth = 2, kMaxWidth = 8;

}  // namespace

bool continues_line(std::string_view above, std::string_view line) {
  above = above.substr(0, above.find_last_not_of(" \t\r") + 1);
  line = line.substr(skip_blanks(line, 0));
  constexpr std::string_view kUnfinished = "\\,=+-*/%&<?.";
  const bool is_unfinished =
      !above.empty() &&
      (kUnfinished.find(above.back()) != std::string_view::npos || above.ends_with("||")) &&
      !above.ends_with("*/");
  constexpr std::string_view kOperators[] = {".", "?", ":", "&&", "||", "+", "->", "=", "<<"};
  return is_unfinished || std::ranges::any_of(kOperators, [&](std::string_view one) {
           return line.starts_with(one);
         });
}

bool begins_with_spaces(std::string_view line) {
  return line.starts_with("  ") && !line.substr(skip_blanks(line, 0)).starts_with('*');
}

IndentUnit indent_unit_of(std::span<const std::string_view> lines) {
  IndentUnit unit;
  std::array<int, kMaxWidth + 1> steps{};  // [width]: how often a line is so much deeper
  std::optional<int> last;                 // spaces of the line before
  std::string_view above;
  for (const std::string_view line : lines) {
    if (is_blank_text(line)) continue;
    unit.n_tabs += line.starts_with('\t') ? 1 : 0;
    unit.n_spaces += begins_with_spaces(line) ? 1 : 0;
    const auto spaces = static_cast<int>(std::min(line.find_first_not_of(' '), line.size()));
    const int step = spaces - last.value_or(spaces);
    const bool is_level = step >= kMinWidth && step <= kMaxWidth && !continues_line(above, line);
    if (is_level) ++steps[static_cast<std::size_t>(step)];
    last = spaces;
    above = line;
  }
  const auto most = std::ranges::max_element(steps);
  if (*most > 0) unit.width = static_cast<int>(most - steps.begin());
  return unit;
}

}  // namespace redraft
