#pragma once

#include <optional>
#include <stop_token>

#include "support/result.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"
#include "workspace/engine/engine.h"

namespace redraft {

// Carries out the first decision if it needs no model. Nothing: it is a task for the model. Parses
// the document.
std::optional<EditResult> carry_out_without_model(const EditRequest& request,
                                                  const FirstDecision& decision);

// Carries out a decision. Blocks; runs on the decode thread. A cancelled edit is a result with
// kCancelled and the hunks that were final by then. Errors: no place found, a region that does not
// fit the context, a retry beyond the last one.
Result<EditResult> carry_out(Engine& engine, const EditRequest& request,
                             const EditDecision& decision, const EditObserver& observer,
                             const std::stop_token& stop);

// Decides the second step for this engine, and carries that out. If `stop` was requested, the
// result is unchanged and cancelled.
Result<EditResult> run_task(Engine& engine, const EditRequest& request, const ModelTask& task,
                            const EditObserver& observer, const std::stop_token& stop);

// Decides both steps for this engine, and carries that out.
Result<EditResult> run_edit(Engine& engine, const EditRequest& request,
                            const EditObserver& observer, const std::stop_token& stop);

}  // namespace redraft
