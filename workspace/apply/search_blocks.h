#pragma once

#include <vector>

#include "workspace/apply/change_blocks.h"
#include "workspace/apply/change_text.h"

namespace redraft {

// The blocks with SEARCH and REPLACE of a text, as Aider, Cline and Roo ask for them. If the text
// of a block has lines like the one that divides it, the file tells where it is divided: what is
// searched for is in the file. A block that is cut off is a doubt of the change.
//
// Returns false if there are none. `outside` receives the other lines of the text.
bool read_search_blocks(const ChangeLines& lines, const ChangedFile& file, ProposedChange& change,
                        ChangeLines& outside);

}  // namespace redraft
