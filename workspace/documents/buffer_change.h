#pragma once

#include <cstddef>

#include "workspace/documents/changing_text.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// One change of a document, with the facts that pending edits of other places need.
struct BufferChange {
  // In the text before, without the common prefix and suffix of the old and the new text.
  ByteRange range;
  std::size_t new_size = 0;           // bytes that replace the range
  bool begin_was_line_start = false;  // of range.begin, in the text before
  bool begin_is_line_start = false;   // of range.begin, in the text after
  bool end_was_line_start = false;    // of range.end, in the text before
  bool end_is_line_start = false;     // of the end of the new bytes, in the text after
};

// Applies `edit`, whose range is within `text`.
BufferChange apply_change(ChangingText& text, const TextEdit& edit);

// Moves the range of a pending edit of whole lines to account for a change in another place. False
// if the change touched the edit's range, or joined its lines with a neighbour: then the edit no
// longer applies.
bool rebase(const BufferChange& change, ByteRange* range);

}  // namespace redraft
