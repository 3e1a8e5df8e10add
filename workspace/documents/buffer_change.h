#pragma once

#include <cstddef>
#include <string>

#include "workspace/documents/text_edit.h"

namespace redraft {

// One change of a buffer, as far as pending edits of other places need to know it.
struct BufferChange {
  ByteRange
      range;  // of the text before, without what the new text has in common with it at either end
  std::size_t new_size = 0;           // bytes that stand there now
  bool begin_was_line_start = false;  // of range.begin, in the text before
  bool begin_is_line_start = false;   // and after
  bool end_was_line_start = false;    // of range.end, in the text before
  bool end_is_line_start = false;     // of what follows the change, after
};

// `after` is `before` with `edit` applied.
BufferChange describe_change(const std::string& before, const TextEdit& edit,
                             const std::string& after);

// Moves the range of a pending edit of whole lines along with a change elsewhere. False when the
// change touched what the edit replaces, or joined its lines with a neighbour: then it no longer
// applies.
bool rebase(const BufferChange& change, ByteRange* range);

}  // namespace redraft
