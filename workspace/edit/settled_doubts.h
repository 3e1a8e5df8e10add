// Which changes of an edit have a doubt, once it has ended.
//
// Whoever takes an edit as a whole (`--write`, "accept all") takes the hunks without a doubt and
// leaves the others to the user. So what is taken has to be right without what is left. A Doubt
// names the hunks that it is about; here it also spreads to those that would be wrong alone:
//
//   a syntax error              to all hunks of the place that was written together
//   Doubt::concerns_all         to all hunks
//   a name                      from the hunk that declares it to those that begin to use it, and
//                               from one that still uses it to the one that removes it
//   a definition's head         to the hunks with its calls, and back
//   what the remaining hunks    if the text with them alone has a doubt, to all hunks of these
//   do to the text              places, and at last to all
//
// An example: asked for a new parameter, the model also drops a method. Hunk 0 changes the head of
// load(), hunk 1 a call of it, and hunk 2, between them, loses the method close(). Hunks 0 and 1
// are taken, hunk 2 is left. If hunk 1 had lost the method, hunk 0 would be left as well.
#pragma once

#include <string>
#include <vector>

#include "workspace/documents/document.h"
#include "workspace/edit/edit_result.h"

namespace redraft {

// Writes Hunk::doubt of `hunks`, all those of an edit of this kind, about which there are `doubts`.
// Parses if there are any.
void settle_doubts(const Document& document, const std::string& instruction, EditKind kind,
                   const std::vector<Doubt>& doubts, std::vector<Hunk>& hunks);

}  // namespace redraft
