#include "workspace/documents/edit_region.h"

#include <algorithm>
#include <utility>

#include "support/utf8/utf8.h"
#include "workspace/documents/cursor_region.h"

namespace redraft {
namespace {

std::size_t byte_order_mark_size(const std::string& text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

// The number of lines with an ending, plus a last line without one if it is not empty.
int written_lines(const Document& document) {
  const int last = document.lines().line_count() - 1;
  const std::size_t start =
      last == 0 ? byte_order_mark_size(document.text()) : document.lines().start(last);
  return start == document.text().size() ? last : last + 1;
}

std::optional<ByteRange> symbol_at(const Document& document, std::size_t offset) {
  const SyntaxTree* syntax = document.syntax();
  if (syntax == nullptr) return std::nullopt;
  const std::optional<Definition> definition = syntax->enclosing_definition(offset);
  return definition ? std::optional(definition->range) : std::nullopt;
}

// nullopt: the whole file.
std::optional<ByteRange> around(const Document& document, std::size_t offset,
                                std::size_t max_bytes) {
  const std::optional<ByteRange> symbol = symbol_at(document, offset);
  if (symbol && symbol->size() <= max_bytes) return symbol;
  if (!symbol && document.text().size() <= max_bytes) return std::nullopt;
  return regions_at(document, {offset, offset}, max_bytes).region().range;
}

void append_lines(const std::vector<std::string_view>& lines, std::string* text) {
  for (const std::string_view line : lines) {
    *text += line;
    *text += '\n';
  }
}

}  // namespace

EditScope default_scope(const std::optional<ByteRange>& range) {
  if (!range) return EditScope::kPlaces;
  return range->empty() ? EditScope::kAround : EditScope::kSelection;
}

Result<void> EditRegion::check(const Document& document, EditScope scope,
                               const std::optional<ByteRange>& range) {
  const std::size_t size = document.text().size();
  if (range && (range->begin > range->end || range->end > size)) {
    return Error("the range " + std::to_string(range->begin) + "-" + std::to_string(range->end) +
                 " is outside the text, which has " + std::to_string(size) + " bytes");
  }
  if (range || scope == EditScope::kFile || scope == EditScope::kPlaces) return {};
  return Error(
      scope != EditScope::kSelection
          ? "this scope needs a range: give one, or edit the whole file"
          : "the scope 'selection' needs a range: select the lines to edit, or edit the whole "
            "file");
}

Result<EditRegion> EditRegion::make(std::shared_ptr<const Document> document, EditScope scope,
                                    const std::optional<ByteRange>& range, std::size_t max_bytes) {
  if (const Result<void> checked = check(*document, scope, range); !checked) return checked.error();
  const int n_lines = written_lines(*document);
  std::optional<ByteRange> touched;
  if (scope == EditScope::kSelection) touched = range;
  if (scope == EditScope::kSymbol) touched = symbol_at(*document, range->begin);
  if (scope == EditScope::kAround) touched = around(*document, range->begin, max_bytes);
  if (scope == EditScope::kAuto) touched = regions_at(*document, *range, max_bytes).region().range;
  if (!touched) return EditRegion(std::move(document), 0, n_lines, true);
  const LineIndex& index = document->lines();
  const int first = index.line_of(touched->begin);
  int last = index.line_of(touched->end);  // exclusive below, unless the range touches it
  const bool is_place =
      touched->empty() &&
      scope != EditScope::kSelection;  // whether it is a position between two lines
  if (!is_place && (touched->empty() || touched->end > index.start(last))) ++last;
  const bool whole_file = first == 0 && last >= n_lines;
  return EditRegion(std::move(document), std::min(first, n_lines), std::min(last, n_lines),
                    whole_file);
}

EditRegion::EditRegion(std::shared_ptr<const Document> document, int first_line, int last_line,
                       bool whole_file)
    : document_(std::move(document)), first_line_(first_line), whole_file_(whole_file) {
  const std::string_view text = document_->text();
  for (int line = first_line; line < last_line; ++line) {
    const std::size_t begin = start(line - first_line);
    lines_.push_back(text.substr(begin, document_->lines().content_end(line) - begin));
  }
}

ByteRange EditRegion::range() const {
  const int n_lines = static_cast<int>(lines_.size());
  return {start(0), std::max(start(0), start(n_lines))};
}

std::string EditRegion::text() const {
  std::string text;
  append_lines(lines_, &text);
  return text;
}

std::string_view EditRegion::part_of(std::string_view after) const {
  const ByteRange old = range();
  const std::size_t behind = document_->text().size() - old.end;
  return after.substr(old.begin, after.size() - behind - old.begin);
}

TextEdit EditRegion::edit(const LineChange& change) const {
  const int n_lines = static_cast<int>(lines_.size());
  TextEdit edit{{start(change.old_begin), start(change.old_end)}, {}};
  for (int i = 0; i < static_cast<int>(change.new_lines.size()); ++i) {
    edit.new_text += change.new_lines[i];
    edit.new_text += ending_for_new_line(change, i);
  }
  const bool at_open_end = change.old_end == n_lines && n_lines > 0 && ending(n_lines - 1).empty();
  if (!at_open_end) return edit;
  // The line that is last after the change has no ending. So the line before the change provides
  // one or loses its own.
  const int n_new = static_cast<int>(change.new_lines.size());
  if (n_new > 0)
    edit.new_text.resize(edit.new_text.size() - ending_for_new_line(change, n_new - 1).size());
  if (change.old_begin == n_lines) {
    edit.new_text.insert(0, ending_for_new_line(change, 0));
  } else if (n_new == 0 && first_line_ + change.old_begin > 0) {
    edit.range.begin -= ending(change.old_begin - 1).size();
  }
  return edit;
}

std::size_t EditRegion::start(int line) const {
  const std::size_t start = document_->lines().start(first_line_ + line);
  return first_line_ + line == 0 ? byte_order_mark_size(document_->text()) : start;
}

std::string_view EditRegion::ending(int line) const {
  const LineIndex& index = document_->lines();
  const std::size_t end = index.content_end(first_line_ + line);
  return std::string_view(document_->text()).substr(end, index.start(first_line_ + line + 1) - end);
}

// The ending of the replaced line, otherwise of the nearest line before it, otherwise of the one
// after it.
std::string_view EditRegion::ending_for_new_line(const LineChange& change, int new_line) const {
  int line = change.old_begin + new_line;
  if (line >= change.old_end) line = change.old_end - 1;
  for (; line >= -first_line_; --line) {
    if (const std::string_view found = ending(line); !found.empty()) return found;
  }
  const bool has_next = first_line_ + change.old_end < document_->lines().line_count();
  if (has_next && !ending(change.old_end).empty()) return ending(change.old_end);
  return "\n";
}

std::string text_for_model(const Document& document) {
  std::string_view text = document.text();
  std::string result;
  result.reserve(text.size() + 1);
  for (int line = 0; line < written_lines(document); ++line) {
    const std::size_t begin =
        line == 0 ? byte_order_mark_size(document.text()) : document.lines().start(line);
    result += text.substr(begin, document.lines().content_end(line) - begin);
    result += '\n';
  }
  return result;
}

}  // namespace redraft
