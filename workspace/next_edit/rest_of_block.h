// The rest of a Python statement whose beginning a user moved in or out.
//
// Who puts an `if` above a function and moves its head to the right has left its body behind. What
// is as deep as it was belongs to something else now, or is an error; no model is needed to see
// what has to follow.
#pragma once

#include <optional>
#include <vector>

#include "workspace/documents/change_history.h"
#include "workspace/next_edit/certain_edit.h"

namespace redraft {

// A change counts whose last lines are only further in or out than they were. Moved alike is what
// follows of the outermost statement among them: deeper lines, and its `else` and the like. Nothing
// where they may stand where they should already, or brackets and strings would be cut.
//
// A line that opens a block and was added above a statement that is as deep takes that statement
// in, with its decorators.
//
// Linear in each document that was changed so. No thread of its own, no error.
std::optional<CertainEdit> find_rest_of_block(const std::vector<RecentChange>& recent,
                                              const IsUnwanted& is_unwanted);

}  // namespace redraft
