#include "workspace/documents/cursor_region.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

// The maximum length of a paragraph, the region where there is no syntax.
constexpr int kMaxParagraphLines = 40;

bool is_blank(const Document& document, int line) {
  const LineIndex& lines = document.lines();
  const std::string& text = document.text();
  const std::size_t first = text.find_first_not_of(" \t\f", lines.start(line));
  return first == std::string::npos || first >= lines.content_end(line);
}

// The whole lines that `range` touches. A range that ends where a line begins does not touch it.
ByteRange lines_touched(const Document& document, const ByteRange& range) {
  const LineIndex& lines = document.lines();
  const int first = lines.line_of(range.begin);
  const int last = lines.line_of(range.end);
  const bool touches = range.end > lines.start(last) || first == last;
  return {lines.start(first), lines.start(last + (touches ? 1 : 0))};
}

// The lines around `offset` up to blank ones, at most `max_bytes` unless its own line has more. For
// a blank line: the empty region where the line begins.
Region paragraph_at(const Document& document, std::size_t offset, std::size_t max_bytes) {
  const LineIndex& lines = document.lines();
  int first = lines.line_of(offset);
  if (is_blank(document, first)) {
    const std::size_t end = lines.content_end(first);
    const bool has_blanks = end > lines.start(first);
    return {RegionKind::kInsertion,
            {lines.start(first), has_blanks ? lines.start(first + 1) : lines.start(first)},
            "insertion point"};
  }
  int end = first + 1;
  const auto take = [&](int line, int from, int to) {
    return line >= 0 && line < lines.line_count() && to - from <= kMaxParagraphLines &&
           lines.start(to) - lines.start(from) <= max_bytes && !is_blank(document, line);
  };
  for (bool up = true, down = true; up || down;) {
    up = up && take(first - 1, first - 1, end);
    if (up) --first;
    down = down && take(end, first, end + 1);
    if (down) ++end;
  }
  return {RegionKind::kParagraph, {lines.start(first), lines.start(end)}, "paragraph"};
}

RegionChain chain_at(const Document& document, std::size_t offset, std::size_t max_bytes) {
  RegionChain chain;
  if (const SyntaxTree* syntax = document.syntax())
    chain = syntax->regions_around(offset, max_bytes);
  else
    chain.regions = {{RegionKind::kFile, {0, document.text().size()}, "file"}};
  // A token may have more lines than can be edited; and in the syntax tree a lone "\r" does not end
  // a line.
  const Region& found = chain.region();
  const bool is_bounded = document.syntax() != nullptr && found.kind != RegionKind::kFile &&
                          (found.range.size() <= max_bytes || line_count(document, found) <= 1);
  if (is_bounded) return chain;
  Region paragraph = paragraph_at(document, offset, max_bytes);
  std::erase_if(chain.regions, [&](const Region& region) {
    return region.range.begin > paragraph.range.begin || region.range.end < paragraph.range.end ||
           region.range == paragraph.range;
  });
  chain.regions.insert(chain.regions.begin(), std::move(paragraph));
  chain.chosen = 0;
  return chain;
}

}  // namespace

RegionChain regions_at(const Document& document, const ByteRange& at, std::size_t max_bytes) {
  RegionChain chain = chain_at(document, at.begin, max_bytes);
  if (at.empty()) return chain;
  const ByteRange selected = lines_touched(document, at);
  std::erase_if(chain.regions, [&](const Region& region) {
    return region.range.begin > selected.begin || region.range.end < selected.end ||
           region.range == selected;
  });
  chain.regions.insert(chain.regions.begin(), {RegionKind::kSelection, selected, "selection"});
  chain.chosen = 0;
  return chain;
}

int line_count(const Document& document, const Region& region) {
  if (region.range.empty()) return 0;
  const LineIndex& lines = document.lines();
  return lines.line_of(region.range.end - 1) - lines.line_of(region.range.begin) + 1;
}

std::string region_title(const Document& document, const Region& region) {
  const int n_lines = line_count(document, region);
  if (region.kind == RegionKind::kInsertion) {
    const int line = document.lines().line_of(region.range.begin) + 1;
    return "insert at line " + std::to_string(line);
  }
  return "edit " + region.name + ", " + std::to_string(n_lines) +
         (n_lines == 1 ? " line" : " lines");
}

}  // namespace redraft
