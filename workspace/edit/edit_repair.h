#pragma once

#include <stop_token>

#include "workspace/edit/edit_session.h"

namespace redraft {

// Puts right what is wrong with an edit that has ended. First, what the model wrote around the
// lines that it was asked for is taken off (edit_tidy.h). If the edit is doubtful then, the model
// is asked once more: the fault goes on where the conversation ended, which is in the cache, and
// the first answer is the draft of the next one, which is the result if it has fewer doubts and
// changes something.
//
// Where that gives other hunks than the observer was told, they have ids of their own, behind
// those. Nothing happens to an edit that was cut short, and what fails here leaves it as it is. On
// the decode thread.
void repair(Engine& engine, const EditRequest& request, const EditPlan& plan,
            const EditObserver& observer, const std::stop_token& stop, EditResult& result);

}  // namespace redraft
