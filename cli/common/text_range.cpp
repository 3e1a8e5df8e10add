#include "cli/common/text_range.h"

#include <charconv>
#include <optional>
#include <tuple>

#include "support/utf8/utf8.h"

namespace redraft::cli {
namespace {

// Removes a number >= 1 from the front of `text`.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || number < 1) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<TextPosition> take_position(std::string_view& text) {
  const std::optional<int> line = take_number(text);
  if (!line || !take(text, ':')) return std::nullopt;
  const std::optional<int> column = take_number(text);
  if (!column) return std::nullopt;
  return TextPosition{*line, *column};
}

std::string spell(TextPosition position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}
}  // namespace

Result<TextPosition> parse_text_position(std::string_view text) {
  std::string_view rest = text;
  const std::optional<TextPosition> position = take_position(rest);
  if (position && rest.empty()) return *position;
  return Error("'" + std::string(text) + "' is not LINE:COLUMN (both from 1), such as 10:1");
}

Result<std::size_t> to_offset(TextPosition position, const Document& document) {
  const LineIndex& lines = document.lines();
  if (position.line > lines.line_count()) {
    return Error("line " + std::to_string(position.line) + " is outside the file, which has " +
                 std::to_string(lines.line_count()) + " lines");
  }
  const std::size_t begin = lines.start(position.line - 1);
  const std::size_t end = lines.content_end(position.line - 1);
  const std::size_t offset = begin + static_cast<std::size_t>(position.column - 1);
  if (offset > end) {
    return Error("column " + std::to_string(position.column) + " is outside line " +
                 std::to_string(position.line) + ", which has " + std::to_string(end - begin) +
                 " bytes");
  }
  if (is_within_character(document.text(), offset)) {
    return Error(spell(position) + " is in the middle of a character (columns count bytes)");
  }
  return offset;
}

Result<TextRange> parse_text_range(std::string_view text) {
  std::string_view rest = text;
  const std::optional<TextPosition> begin = take_position(rest);
  const bool dash = begin && take(rest, '-');
  const std::optional<TextPosition> end = dash ? take_position(rest) : std::nullopt;
  if (!end || !rest.empty()) {
    return Error(
        "--range: '" + std::string(text) +
        "' is not L1:C1-L2:C2 (lines and columns from 1, the end exclusive), such as 10:1-14:1");
  }
  if (std::tie(end->line, end->column) < std::tie(begin->line, begin->column)) {
    return Error("--range: '" + std::string(text) + "' ends before it begins");
  }
  return TextRange{*begin, *end};
}

Result<ByteRange> to_bytes(const TextRange& range, const Document& document) {
  const Result<std::size_t> begin = to_offset(range.begin, document);
  if (!begin) return begin.error().in("--range");
  const Result<std::size_t> end = to_offset(range.end, document);
  if (!end) return end.error().in("--range");
  return ByteRange{*begin, *end};
}

std::string to_string(const TextRange& range) {
  return spell(range.begin) + "-" + spell(range.end);
}

TextRange to_text_range(const ByteRange& range, const Document& document) {
  const LineIndex& lines = document.lines();
  const auto position = [&](std::size_t offset) {
    const int line = lines.line_of(offset);
    return TextPosition{line + 1, static_cast<int>(offset - lines.start(line)) + 1};
  };
  return {position(range.begin), position(range.end)};
}

}  // namespace redraft::cli
