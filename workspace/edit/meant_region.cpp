#include "workspace/edit/meant_region.h"

#include <algorithm>
#include <string>

#include "text/strings/blank_text.h"
#include "text/strings/lower_case.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"
#include "workspace/documents/cursor_region.h"

namespace redraft {
namespace {

constexpr std::string_view kImports =
    "import imports include includes using usings use uses require requires";
constexpr std::string_view kChangesOrder =
    "sort sorts reorder order organize organise arrange rearrange group alphabetize clean merge "
    "combine deduplicate dedupe remove tidy split";
constexpr std::string_view kDescribes =
    "docstring docstrings jsdoc javadoc rustdoc tsdoc phpdoc kdoc godoc document documentation";

bool has_any(std::string_view instruction, std::string_view words) {
  const std::string lower = lower_case(instruction);
  return std::ranges::any_of(split_words(words),
                             [&](std::string_view word) { return has_name(lower, word); });
}

std::string_view line_text(const Document& document, int line) {
  const std::size_t begin = document.lines().start(line);
  return std::string_view(document.text())
      .substr(begin, document.lines().content_end(line) - begin);
}

// The region of a line, as a cursor on its text has it.
Region region_of_line(const Document& document, int line, std::size_t max_bytes) {
  const std::size_t at =
      document.lines().start(line) + indentation_of(line_text(document, line)).size();
  return regions_at(document, {at, at}, max_bytes).region();
}

bool are_imports(const Document& document, const Region& region) {
  if (region.kind == RegionKind::kImports) return true;
  if (region.kind != RegionKind::kParagraph) return false;
  const LineIndex& index = document.lines();
  for (int line = index.line_of(region.range.begin); index.start(line) < region.range.end; ++line) {
    if (!has_any(line_text(document, line), kImports)) return false;
  }
  return true;
}

}  // namespace

std::optional<ByteRange> lines_meant_beside(const Document& document, std::size_t offset,
                                            std::string_view instruction, std::size_t max_bytes) {
  const int n_lines = document.lines().line_count();
  const int line = document.lines().line_of(offset);
  const auto is_blank_line = [&](int at) { return is_blank_text(line_text(document, at)); };
  if (!is_blank_line(line)) return std::nullopt;
  int below = line, above = line;
  while (below < n_lines && is_blank_line(below)) ++below;
  while (above >= 0 && is_blank_line(above)) --above;
  if (has_any(instruction, kImports) && has_any(instruction, kChangesOrder)) {
    for (const int next : {below, above}) {
      if (next < 0 || next >= n_lines) continue;
      const Region region = region_of_line(document, next, max_bytes);
      if (are_imports(document, region)) return region.range;
    }
  }
  if (!has_any(instruction, kDescribes) || below >= n_lines) return std::nullopt;
  const Region region = region_of_line(document, below, max_bytes);
  // At the top of a class it is the class that gets the description.
  const bool begins_inside = above >= 0 && indentation_of(line_text(document, above)).size() <
                                               indentation_of(line_text(document, below)).size();
  const bool is_below = region.kind == RegionKind::kDefinition && !begins_inside &&
                        document.lines().line_of(region.range.begin) == below;
  return is_below ? std::optional(region.range) : std::nullopt;
}

}  // namespace redraft
