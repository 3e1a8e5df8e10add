#pragma once

#include <stop_token>
#include <string>

#include "workspace/edit/edit_plan.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"

namespace redraft {

// Fixes an edit of a region after it has ended. First, it removes what the model wrote around the
// requested lines (edit_tidy.h). If the edit is still doubtful, it asks the model once more: the
// conversation continues with the fault, its beginning is in the cache, and the first answer is the
// draft of the second. The second answer becomes the result if it has fewer doubts and changes
// something.
//
// If the hunks differ from those that the observer was told, they get new ids after those. An edit
// that was cut short stays as it is, and so does the result if anything fails here. On the decode
// thread.
void repair(Engine& engine, const EditRequest& request, const std::string& instruction,
            const EditPlan& plan, const EditObserver& observer, const std::stop_token& stop,
            EditResult& result);

}  // namespace redraft
