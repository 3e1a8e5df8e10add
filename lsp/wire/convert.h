#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft::lsp {

// Positions count lines and, within a line, units of the agreed encoding; everything behind this
// file counts bytes.

// A character beyond the line's end means its end, a line beyond the last the end of the text; a
// position inside a character means its start.
std::size_t to_offset(const std::string& text, const LineIndex& lines, Position position,
                      Encoding encoding);
Position to_position(const std::string& text, const LineIndex& lines, std::size_t offset,
                     Encoding encoding);

ByteRange to_bytes(const Document& document, const Range& range, Encoding encoding);
Range to_range(const Document& document, ByteRange range, Encoding encoding);

// The changes of one notification, each against the text the one before left, in the same form but
// in bytes.
std::vector<TextEdit> to_edits(const Document& document, const std::vector<ContentChange>& changes,
                               Encoding encoding);

}  // namespace redraft::lsp
