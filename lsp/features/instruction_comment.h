// Instructions that stand in the text, for editors that have no way to ask their user for one: a
// code action offers to carry out what a comment says, and the comment goes with the edit.
//
//   # redraft: use pathlib          the line that is found, and removed
//   name = os.path.join(a, b)       where the edit begins, if the cursor is on the comment
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft::lsp {

// In the argument of `redraft.edit`, and the data of a code action: the 0-based line of the comment
// that its instruction comes from.
inline constexpr char kCommentLine[] = "comment";

struct InstructionComment {
  int line = 0;
  std::string instruction;
  std::size_t below = 0;  // byte offset: the first text of the next line, or its end if it is blank
};

// The first comment in the lines of `range` that begins with "redraft:" and says something; of any
// language, because only what precedes that word is looked at: no letters and digits.
std::optional<InstructionComment> find_instruction(const Document& document, ByteRange range);

// `edits` of `document` with the removal of the comment that says `instruction`, of several of that
// which is nearest to `line`. As they were without one, or if they make something else of its line.
std::vector<TextEdit> remove_comment(const Document& document, std::vector<TextEdit> edits,
                                     const std::string& instruction, int line);

}  // namespace redraft::lsp
