#pragma once

#include "cli/common/command.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {

// From now on the engine caches the prompts of edits in KvArchive::default_folder(), and uses what
// earlier processes cached there. Does nothing without such a folder, or on a GPU.
void keep_on_disk(LocalEngine& engine, const CommonOptions& options);

}  // namespace redraft::cli
