// Instructions in the text, for editors that cannot ask their user for one: a code action offers to
// carry out what a comment says, and the edit removes the comment.
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

// A member of `redraft.edit`'s argument and of a code action's data: the 0-based line of the
// comment that contains the instruction.
inline constexpr char kCommentLine[] = "comment";

struct InstructionComment {
  int line = 0;
  std::string instruction;
  std::size_t below = 0;  // byte offset of the first text in the next line, or of its end if it is
                          // blank
};

// The first comment in the lines of `range` that begins with "redraft:" followed by an instruction.
// It works for any language, because the word may only be preceded by characters other than letters
// and digits.
std::optional<InstructionComment> find_instruction(const Document& document, ByteRange range);

// Adds the removal of the comment that contains `instruction` to `edits` of `document`; if there
// are several, of the one nearest to `line`. Returns `edits` unchanged if there is none, or if they
// change its line into something else.
std::vector<TextEdit> remove_comment(const Document& document, std::vector<TextEdit> edits,
                                     const std::string& instruction, int line);

}  // namespace redraft::lsp
