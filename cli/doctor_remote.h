#pragma once

#include <vector>

#include "cli/common/command.h"
#include "cli/doctor_folders.h"

namespace redraft::cli {

// The state of the server of `--remote`: whether it can be reached, accepts the key, which models
// it has, and whether the chosen one writes. Sends it a few words of ours and requests one token.
// The rows end with the first problem. No row shows the key.
std::vector<Surrounding> state_of_remote(const CommonOptions& options);

}  // namespace redraft::cli
