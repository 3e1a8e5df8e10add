#pragma once

#include <memory>

#include "bench/repository.h"
#include "bench/step.h"
#include "bench/task.h"
#include "indexing/store/datastore.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft {

// The decode of a completion task that the server would run while the user types there: its window
// of the whole file, its snippets and its draft sources, by the product's own code. If the task
// asks for whole lines, the cursor is on a separate line, indented as an editor does it. A replay
// writes as much of the reference as the server would.
Result<BenchStep> make_server_step(Engine& engine, const BenchTask& task,
                                   const RepositoryView& view, const StepOptions& options,
                                   const std::shared_ptr<const Datastore>& common);

}  // namespace redraft
