#pragma once

#include <optional>
#include <vector>

#include "support/result.h"
#include "workspace/apply/change_mismatch.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"

namespace redraft {

// What comes of a change that another assistant wrote, without a model.
struct AppliedChange {
  // The edit, with the doubts of its hunks; without hunks: the file has the change already.
  // Nothing: a part of the change has no place, so nothing is changed.
  std::optional<EditResult> result;
  // Of each part that has no place, in the order of the change; empty if there is a result.
  std::vector<Mismatch> mismatches;
};

// Places `request.change` by its lines and the syntax tree alone, in milliseconds. Parses the
// document. Errors: those of check_request() and parse_change().
Result<AppliedChange> apply_change(const EditRequest& request);

}  // namespace redraft
