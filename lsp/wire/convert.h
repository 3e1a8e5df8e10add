#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft::lsp {

// Positions count lines and, within a line, units of the agreed encoding; everywhere else redraft
// counts bytes.

// A character beyond the end of its line is clamped to that end, a line beyond the last to the end
// of the text. A position inside a character means the start of the character.
std::size_t to_offset(const std::string& text, const LineIndex& lines, Position position,
                      Encoding encoding);
Position to_position(const std::string& text, const LineIndex& lines, std::size_t offset,
                     Encoding encoding);

ByteRange to_bytes(const Document& document, const Range& range, Encoding encoding);
Range to_range(const Document& document, ByteRange range, Encoding encoding);

// The changes of one notification, in bytes. Each change applies to the text after the previous
// one.
std::vector<TextEdit> to_edits(const Document& document, const std::vector<ContentChange>& changes,
                               Encoding encoding);

}  // namespace redraft::lsp
