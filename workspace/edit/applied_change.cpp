#include "workspace/edit/applied_change.h"

#include <utility>

#include "workspace/apply/change_place.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/run_edit.h"

namespace redraft {

Result<AppliedChange> apply_change(const EditRequest& request) {
  if (Result<void> checked = check_request(request); !checked) return checked.error();
  const Result<ProposedChange> parsed =
      parse_change(request.change, changed_file(*request.document));
  if (!parsed) return parsed.error();
  PlacedChange placed = place_change(request.document, *parsed);
  if (!placed.is_placed()) return AppliedChange{std::nullopt, std::move(placed.mismatches)};
  const FirstDecision decision = CertainChange{std::move(placed.edits), std::move(placed.origins),
                                               std::move(placed.doubts), std::move(placed.notes)};
  return AppliedChange{carry_out_without_model(request, decision), {}};
}

}  // namespace redraft
