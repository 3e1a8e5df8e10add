#pragma once

#include <stop_token>

#include "workspace/edit/edit_session.h"

namespace redraft {

// Asks the model once more where its edit is doubtful: the fault goes on where the conversation
// ended, which is in the cache, and the first answer is the draft of the next one. `result` becomes
// the edit of the second answer if that has fewer doubts and changes something; its hunks then have
// ids of their own, behind those of the first. Nothing happens if there are no doubts, or the edit
// was cut short. What fails here leaves the first edit as it is. On the decode thread.
void repair(Engine& engine, const EditRequest& request, const EditPlan& plan,
            const EditObserver& observer, const std::stop_token& stop, EditResult& result);

}  // namespace redraft
