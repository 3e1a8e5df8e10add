#pragma once

#include "cli/common/check_store.h"
#include "decoding/device.h"
#include "decoding/model/model_location.h"
#include "support/result.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {

// The key of a model whose files are as they are now.
Result<CheckStore::Key> check_key(const ModelLocation& model, const Device& device);

// From now on the engine knows what an earlier check of its target found, and remembers the result
// of a check for later processes. `location` is the target's. Does nothing where the cost of passes
// is pinned, because such tests have to find every machine the same.
void remember_checks(LocalEngine& engine, const ModelLocation& location);

}  // namespace redraft::cli
