#pragma once

#include <string>
#include <string_view>

#include "support/result.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft::cli {

// A position as users write it: lines and columns count from 1, columns in bytes.
struct TextPosition {
  int line = 1;
  int column = 1;
};
struct TextRange {
  TextPosition begin;
  TextPosition end;  // exclusive
};

// "L:C"; the error says what is wrong with the syntax.
Result<TextPosition> parse_text_position(std::string_view text);

// The byte offset of a position. The error says which part is outside the document, and how large
// the document is.
Result<std::size_t> to_offset(TextPosition position, const Document& document);

// "L1:C1-L2:C2"; the error says what is wrong with the syntax or the order.
Result<TextRange> parse_text_range(std::string_view text);

// "L1:C1-L2:C2" of bytes of the document.
std::string to_string(const TextRange& range);
TextRange to_text_range(const ByteRange& range, const Document& document);

// The error says which end is outside the document, and how large the document is.
Result<ByteRange> to_bytes(const TextRange& range, const Document& document);

}  // namespace redraft::cli
