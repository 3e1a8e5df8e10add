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

bool begins_with_spaces(std::string_view line) {
  return line.starts_with("  ") && !line.substr(skip_blanks(line, 0)).starts_with('*');
}

IndentUnit indent_unit_of(std::span<const std::string_view> lines) {
  IndentUnit unit;
  std::array<int, kMaxWidth + 1> steps{};  // [width]: how often a line is so much deeper
  std::optional<int> last;                 // spaces of the line before
  for (const std::string_view line : lines) {
    if (is_blank_text(line)) continue;
    unit.n_tabs += line.starts_with('\t') ? 1 : 0;
    unit.n_spaces += begins_with_spaces(line) ? 1 : 0;
    const auto spaces = static_cast<int>(std::min(line.find_first_not_of(' '), line.size()));
    const int step = spaces - last.value_or(spaces);
    if (step >= kMinWidth && step <= kMaxWidth) ++steps[static_cast<std::size_t>(step)];
    last = spaces;
  }
  const auto most = std::ranges::max_element(steps);
  if (*most > 0) unit.width = static_cast<int>(most - steps.begin());
  return unit;
}

}  // namespace redraft
