#include "lsp/wire/convert.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "workspace/documents/changing_text.h"

namespace redraft::lsp {
namespace {

// The number of bytes of the UTF-8 character that starts with `lead`. Documents are valid UTF-8.
std::size_t width_of(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// The number of `encoding` units in a character of `width` UTF-8 bytes.
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

std::size_t units_of(const TextCounts& counts, Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return counts.bytes;
    case Encoding::kUtf16:
      return counts.characters + counts.wide;
    case Encoding::kUtf32:
      return counts.characters;
  }
  return counts.characters;
}

int clamped(std::size_t value) {
  return static_cast<int>(std::min<std::size_t>(value, std::numeric_limits<int>::max()));
}

// Converts the changes of one notification to byte offsets, one after the other.
class ChangeReader {
 public:
  ChangeReader(const Document& document, Encoding encoding)
      : encoding_(encoding), text_(document.text()) {}

  TextEdit read(const ContentChange& change) {
    TextEdit edit{{0, text_.size()}, change.text};
    if (change.range) {
      edit.range.begin = offset_of(change.range->start);
      edit.range.end = offset_of(change.range->end);
      if (edit.range.end < edit.range.begin) std::swap(edit.range.begin, edit.range.end);
    }
    text_.replace(edit.range, edit.new_text);
    return edit;
  }

 private:
  // Like to_offset().
  std::size_t offset_of(Position position) const {
    const auto line = static_cast<std::size_t>(position.line);
    if (line >= text_.line_count()) return text_.size();
    return text_.walk(text_.line_start(line), static_cast<std::size_t>(position.character),
                      [this](const TextCounts& counts) { return units_of(counts, encoding_); });
  }

  Encoding encoding_;
  ChangingText text_;
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
