// Reindents the rest of a Python statement whose beginning a user moved in or out.
//
// A user who puts an `if` above a function and indents its head has left its body behind. Lines
// with the old indentation now belong to something else, or are an error. No model is needed to see
// what has to follow.
#pragma once

#include <optional>
#include <vector>

#include "workspace/documents/change_history.h"
#include "workspace/next_edit/certain_edit.h"

namespace redraft {

// A change counts if its last lines were only reindented. The rest of the outermost statement among
// them moves in the same way: deeper lines, and its `else` and the like. Returns nothing if the
// rest may be right already, or if brackets and strings would be cut.
//
// If the user adds a line that opens a block above a statement with the same indentation, that
// statement moves into the block, with its decorators.
//
// Linear in the size of each document with such a change. Runs on the calling thread; does not
// fail.
std::optional<CertainEdit> find_rest_of_block(const std::vector<RecentChange>& recent,
                                              const IsUnwanted& is_unwanted);

}  // namespace redraft
