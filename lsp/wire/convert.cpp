#include "lsp/wire/convert.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

namespace redraft::lsp {
namespace {

// The number of bytes of the UTF-8 character that starts with `lead`. Documents are valid UTF-8.
std::size_t width_of(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// How many units of `encoding` a character of `width` UTF-8 bytes takes.
std::size_t units_of(std::size_t width, Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return width;
    case Encoding::kUtf16:
      return width == 4 ? 2 : 1;
    case Encoding::kUtf32:
      return 1;
  }
  return 1;
}

int clamped(std::size_t value) {
  return static_cast<int>(std::min<std::size_t>(value, std::numeric_limits<int>::max()));
}

// Converts the changes of one notification to bytes, one after the other. Editors with several
// cursors send them from the bottom up. The first line index stays valid above the topmost change,
// so it is rebuilt only when a change comes further down.
class ChangeReader {
 public:
  ChangeReader(const Document& document, Encoding encoding)
      : encoding_(encoding), text_(document.text()), lines_(&document.lines()) {}

  TextEdit read(const ContentChange& change) {
    TextEdit edit{{0, text_.size()}, change.text};
    if (change.range) {
      if (std::max(change.range->start.line, change.range->end.line) >= known_lines_) index();
      edit.range.begin = to_offset(text_, *lines_, change.range->start, encoding_);
      edit.range.end = to_offset(text_, *lines_, change.range->end, encoding_);
      if (edit.range.end < edit.range.begin) std::swap(edit.range.begin, edit.range.end);
    }
    apply(edit);
    return edit;
  }

 private:
  void index() {
    own_lines_.emplace(text_);
    lines_ = &*own_lines_;
    known_lines_ = std::numeric_limits<int>::max();
  }

  void apply(const TextEdit& edit) {
    // The line before counts as changed too: its "\r" may now meet a "\n", or lose it.
    const int line = edit.range.begin == 0 ? 0 : lines_->line_of(edit.range.begin - 1);
    known_lines_ = std::min(known_lines_, line);
    text_.replace(edit.range.begin, edit.range.size(), edit.new_text);
  }

  Encoding encoding_;
  std::string text_;
  const LineIndex* lines_;
  std::optional<LineIndex> own_lines_;
  int known_lines_ = std::numeric_limits<int>::max();  // lines_ is valid for the lines before
};

}  // namespace

std::size_t to_offset(const std::string& text, const LineIndex& lines, Position position,
                      Encoding encoding) {
  if (position.line >= lines.line_count()) return text.size();
  std::size_t offset = lines.start(position.line);
  const std::size_t end = lines.content_end(position.line);
  const auto wanted = static_cast<std::size_t>(position.character);
  for (std::size_t units = 0; offset < end;) {
    const std::size_t width = width_of(text[offset]);
    units += units_of(width, encoding);
    if (units > wanted) break;
    offset += width;
  }
  return std::min(offset, end);
}

Position to_position(const std::string& text, const LineIndex& lines, std::size_t offset,
                     Encoding encoding) {
  offset = std::min(offset, text.size());
  const int line = lines.line_of(offset);
  std::size_t units = 0;
  for (std::size_t at = lines.start(line); at < offset;) {
    const std::size_t width = width_of(text[at]);
    if (at + width > offset) break;
    units += units_of(width, encoding);
    at += width;
  }
  return {line, clamped(units)};
}

ByteRange to_bytes(const Document& document, const Range& range, Encoding encoding) {
  const std::size_t begin = to_offset(document.text(), document.lines(), range.start, encoding);
  const std::size_t end = to_offset(document.text(), document.lines(), range.end, encoding);
  return {std::min(begin, end), std::max(begin, end)};
}

Range to_range(const Document& document, ByteRange range, Encoding encoding) {
  return {to_position(document.text(), document.lines(), range.begin, encoding),
          to_position(document.text(), document.lines(), range.end, encoding)};
}

std::vector<TextEdit> to_edits(const Document& document, const std::vector<ContentChange>& changes,
                               Encoding encoding) {
  ChangeReader reader(document, encoding);
  std::vector<TextEdit> edits;
  edits.reserve(changes.size());
  for (const ContentChange& change : changes) edits.push_back(reader.read(change));
  return edits;
}

}  // namespace redraft::lsp
