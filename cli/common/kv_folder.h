#pragma once

#include <filesystem>

#include "cli/common/command.h"
#include "decoding/kv_archive.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft::cli {

// What the rows of a model on this machine depend on: the file or folder, the processor with the
// kernels that kernels_on() names, and this build of the program.
Result<KvArchive::Key> kv_key(const std::filesystem::path& model, const std::string& instructions);

// From now on the engine keeps what it reads for edits in KvArchive::default_folder(), and finds
// what earlier processes kept there. Without such a folder, or on a GPU, it does not.
void keep_on_disk(Engine& engine, const CommonOptions& options);

}  // namespace redraft::cli
