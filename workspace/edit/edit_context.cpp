// Which lines of a large file the model is shown
//
// Reading is what a person waits for, so a few hundred tokens have to do. In this order:
//   - an overview of the file: its imports and the first lines of its definitions, the outermost
//     first. It depends on the file alone, so the next region of the same file does not pay for it
//     again;
//   - what the region is inside of: first lines of its class or namespace, and the fields there;
//   - first lines of the definitions that the region names, and all cases of short enumerations;
//   - the lines around the region, twice as many above as below: a region builds on what comes
//     before it.
#include "workspace/edit/edit_context.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "support/utf8/utf8.h"
#include "text/strings/names.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

// What is not next to the region gets at most one part in this many of the lines around it, and
// imports of the overview.
constexpr std::size_t kDistantShare = 2;
// Lines of an enumeration that the region uses.
constexpr int kMaxCaseLines = 40;

// Some lines of a document, up to a number of bytes. Those of the region are shown elsewhere and
// cost nothing.
class ShownLines {
 public:
  ShownLines(const Document& document, std::size_t max_bytes, int region_first = 0,
             int region_end = 0)
      : document_(document),
        shown_(static_cast<std::size_t>(document.lines().line_count()), false),
        left_(max_bytes) {
    std::fill(shown_.begin() + region_first, shown_.begin() + region_end, true);
  }

  int count() const { return static_cast<int>(shown_.size()); }
  std::size_t left() const { return left_; }
  void limit(std::size_t bytes) { left_ = bytes; }
  // False if there is no such line, or no room for it.
  bool show(int line) {
    if (line < 0 || line >= count()) return false;
    if (shown_[static_cast<std::size_t>(line)]) return true;
    const std::size_t size = line_text(line).size() + 1;
    if (size > left_) return false;
    left_ -= size;
    shown_[static_cast<std::size_t>(line)] = true;
    return true;
  }
  std::string_view line_text(int line) const {
    std::size_t begin = document_.lines().start(line);
    if (line == 0 && document_.text().starts_with(kByteOrderMark)) begin = kByteOrderMark.size();
    return std::string_view(document_.text())
        .substr(begin, document_.lines().content_end(line) - begin);
  }
  bool is_blank(int line) const { return trimmed(line_text(line)).empty(); }
  // Those of lines [first, end) that are shown. `gaps`: with a line "..." for omitted ones.
  std::string text(int first, int end, bool gaps) const {
    std::string text;
    bool gap = false;
    for (int line = first; line < end; ++line) {
      const bool last_and_empty = line + 1 == count() && line_text(line).empty();
      if (last_and_empty) continue;
      if (!shown_[static_cast<std::size_t>(line)]) {
        gap = gaps;
        continue;
      }
      if (std::exchange(gap, false)) text += "...\n";
      text += line_text(line);
      text += '\n';
    }
    if (gap) text += "...\n";
    return text;
  }

 private:
  const Document& document_;
  std::vector<bool> shown_;
  std::size_t left_;
};

// The line with the definition's name: the first one that is no comment or decorator.
int header_line(const Document& document, const Definition& definition) {
  return document.lines().line_of(definition.name.empty() ? definition.range.begin
                                                          : definition.name.begin);
}

std::string overview_of(const Document& document, const SyntaxTree& tree,
                        std::vector<Definition> definitions, std::size_t max_bytes) {
  ShownLines lines(document, max_bytes / kDistantShare);
  const LineIndex& index = document.lines();
  const int first = definitions.empty() ? 0 : index.line_of(definitions.front().range.begin);
  for (int line = 0; line < first; ++line) {
    if (lines.is_blank(line) || tree.in_comment(index.content_end(line))) continue;
    if (!lines.show(line)) break;
  }
  lines.limit(max_bytes - max_bytes / kDistantShare + lines.left());
  std::ranges::stable_sort(definitions, {}, &Definition::depth);
  for (const Definition& definition : definitions) {
    if (!lines.show(header_line(document, definition))) break;
  }
  return lines.text(0, lines.count(), false);
}

bool holds(const ByteRange& outer, const ByteRange& inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end && outer != inner;
}

// Of the definitions around the region: their first lines and, of the innermost one, the lines that
// belong to no definition within it. `definitions`: in the order in which they begin.
void show_enclosing(const Document& document, const std::vector<Definition>& definitions,
                    const ByteRange& region, ShownLines& lines) {
  const Definition* innermost = nullptr;
  for (const Definition& definition : definitions) {
    if (!holds(definition.range, region)) continue;
    lines.show(header_line(document, definition));
    innermost = &definition;
  }
  if (innermost == nullptr) return;
  const LineIndex& index = document.lines();
  int line = index.line_of(innermost->range.begin);
  const auto show_to = [&](int end) {
    for (; line < end; ++line) {
      if (!lines.is_blank(line) && !lines.show(line)) return false;
    }
    return true;
  };
  for (const Definition& each : definitions) {
    if (each.range.empty() || !holds(innermost->range, each.range)) continue;
    if (!show_to(index.line_of(each.range.begin))) return;
    line = std::max(line, index.line_of(each.range.end - 1) + 1);
  }
  show_to(index.line_of(innermost->range.end));
}

// An enumeration is read as a whole: what the region tells apart are its cases.
bool is_short_enumeration(const Document& document, const Definition& definition) {
  if (definition.kind != DefinitionKind::kType) return false;
  const int header = header_line(document, definition);
  const LineIndex& index = document.lines();
  const std::size_t begin = index.start(header);
  const std::string_view head =
      std::string_view(document.text()).substr(begin, index.content_end(header) - begin);
  const bool is_enumeration = has_name(head, "enum") || has_name(head, "Enum");
  return is_enumeration && index.line_of(definition.range.end - 1) - header < kMaxCaseLines;
}

void show_all(const Document& document, const Definition& definition, ShownLines& lines) {
  const int last = document.lines().line_of(definition.range.end - 1);
  for (int line = header_line(document, definition); line <= last; ++line) {
    if (!lines.show(line)) return;
  }
}

void show_named(const Document& document, const SyntaxTree& tree,
                const std::vector<Definition>& definitions, const ByteRange& region,
                const std::vector<std::string>& besides, ShownLines& lines) {
  const std::string_view text = document.text();
  std::set<std::string_view> names(besides.begin(), besides.end());
  for (const ByteRange& name : tree.identifiers(region))
    names.insert(text.substr(name.begin, name.size()));
  for (const Definition& definition : definitions) {
    const ByteRange& name = definition.name;
    const bool is_named = !name.empty() && names.contains(text.substr(name.begin, name.size()));
    if (is_named) lines.show(header_line(document, definition));
    if (!is_short_enumeration(document, definition) || holds(definition.range, region)) continue;
    const std::vector<ByteRange> cases = tree.identifiers(definition.range);
    const bool has_named = std::ranges::any_of(cases, [&](const ByteRange& one) {
      return names.contains(text.substr(one.begin, one.size()));
    });
    if (has_named) show_all(document, definition, lines);
  }
}

}  // namespace

std::size_t edit_context_bytes(PromptSize size) {
  return static_cast<std::size_t>(kBytesPerToken * prompt_limits(size).edit_context);
}

std::size_t edit_region_bytes(PromptSize size) {
  return static_cast<std::size_t>(kBytesPerToken * prompt_limits(size).region);
}

std::string file_overview(const Document& document, std::size_t max_bytes) {
  const SyntaxTree* tree = document.syntax();
  return tree == nullptr ? std::string()
                         : overview_of(document, *tree, tree->definitions(), max_bytes);
}

std::size_t min_edit_region_bytes() { return edit_region_bytes(kPromptSizes.front()); }

std::size_t max_edit_region_bytes() { return edit_region_bytes(kPromptSizes.back()); }

EditContext edit_context(const EditRegion& region, std::size_t max_bytes,
                         std::size_t overview_bytes, const std::vector<std::string>& names) {
  const Document& document = region.document();
  const ByteRange range = region.range();
  const int first = document.lines().line_of(range.begin);
  const int end = first + static_cast<int>(region.lines().size());
  EditContext context;
  ShownLines lines(document, max_bytes, first, end);
  const bool fits = document.text().size() - range.size() <= max_bytes;
  if (const SyntaxTree* tree = fits ? nullptr : document.syntax()) {
    const std::vector<Definition> definitions = tree->definitions();
    context.overview =
        overview_of(document, *tree, definitions, std::min(overview_bytes, max_bytes));
    const std::size_t around = max_bytes - context.overview.size();
    lines.limit(around / kDistantShare);
    show_enclosing(document, definitions, range, lines);
    show_named(document, *tree, definitions, range, names, lines);
    lines.limit(around - around / kDistantShare + lines.left());
  }
  bool up = true, down = true;
  for (int step = 1; up || down; ++step) {
    up = up && lines.show(first - 2 * step + 1) && lines.show(first - 2 * step);
    down = down && lines.show(end - 1 + step);
  }
  context.before = lines.text(0, first, true);
  context.after = lines.text(end, lines.count(), true);
  return context;
}

}  // namespace redraft
