// The rest of a Python statement whose beginning a user moved in or out.
//
// Who puts an `if` above a function and moves its head to the right has left its body behind. What
// is as deep as it was belongs to something else now, or is an error; no model is needed to see
// what has to follow.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "workspace/documents/change_history.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

struct RestOfBlock {
  std::shared_ptr<const Document> document;
  TextEdit edit;  // of whole lines, one after the other
};

// A change counts whose last lines are only further in or out than they were. Moved alike is what
// follows of the outermost statement among them: deeper lines, and its `else` and the like. Lines
// that stand where they would belong to the moved ones stay.
//
// A line that opens a block and was added above a statement that is as deep takes that statement
// in.
//
// Linear in the documents that were changed. No thread of its own, no error.
std::optional<RestOfBlock> find_rest_of_block(const std::vector<RecentChange>& recent);

}  // namespace redraft
