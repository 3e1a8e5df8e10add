// What the lines of a text show to be wrong with an edit, without a syntax tree
//
//   lines that go      many, and the instruction does not say that something goes
//   lines that stand   "...", "// existing code": the model left something out
//   for others
//   heads              "func total30(" is gone, has another name, or is there twice
//   brackets, tags     as many were open as closed, and now they are not
//   repeated lines     what is inserted stands next to it already
//
// Each is judged by a comparison of the two texts, never by the new text alone, so that a file that
// is odd already raises no doubt.
#pragma once

#include <string_view>
#include <vector>

#include "support/byte_range.h"
#include "workspace/documents/text_edit.h"
#include "workspace/edit/edit_doubts.h"

namespace redraft {

struct TextEditInQuestion {
  std::string_view before;
  std::string_view after;
  const std::vector<TextEdit>& edits;  // against `before`, ascending, disjoint
  std::string_view instruction;
  std::string_view language_id;
  // What the edit could change, ascending; empty: not known.
  const std::vector<ByteRange>& regions;
};

// All of them, in the order above.
std::vector<Doubt> doubts_about_text(const TextEditInQuestion& edit);

// Only lines that go and lines that are repeated, which a syntax tree does not judge.
std::vector<Doubt> doubts_about_lines(const TextEditInQuestion& edit);

}  // namespace redraft
