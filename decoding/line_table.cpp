#include "decoding/line_table.h"

namespace redraft {

LineTable::LineTable(int vocabulary_size, const std::function<std::string_view(TokenId)>& bytes) {
  shapes_.reserve(static_cast<std::size_t>(vocabulary_size));
  for (TokenId token = 0; token < vocabulary_size; ++token)
    shapes_.push_back(shape_of(bytes(token)));
}

LineTable::Shape LineTable::shape_of(std::string_view bytes) {
  if (bytes.empty()) return Shape::kText;  // a control token: not part of any line's indentation
  const std::size_t line_break = bytes.rfind('\n');
  const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
  const bool blank = bytes.find_first_not_of(" \t\r", begin) == std::string_view::npos;
  if (begin == 0) return blank ? Shape::kBlank : Shape::kText;
  return blank ? Shape::kBreakAndBlanks : Shape::kBreakAndText;
}

LineTable::Shape LineTable::shape(TokenId token) const {
  const auto index = static_cast<std::size_t>(token);
  return index < shapes_.size() ? shapes_[index] : Shape::kText;
}

bool LineTable::breaks_line(TokenId token) const {
  return shape(token) == Shape::kBreakAndBlanks || shape(token) == Shape::kBreakAndText;
}

bool LineTable::at_line_start(std::span<const TokenId> text) const {
  for (; !text.empty(); text = text.first(text.size() - 1)) {
    const Shape last = shape(text.back());
    if (last != Shape::kBlank) return last == Shape::kBreakAndBlanks;
  }
  return true;
}

}  // namespace redraft
