#pragma once

#include "cli/common/command.h"
#include "workspace/engine/engine.h"

namespace redraft::cli {

// From now on the engine keeps what it reads for edits in KvArchive::default_folder(), and finds
// what earlier processes kept there. Without such a folder, or on a GPU, it does not.
void keep_on_disk(Engine& engine, const CommonOptions& options);

}  // namespace redraft::cli
