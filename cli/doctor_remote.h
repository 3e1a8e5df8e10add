#pragma once

#include <vector>

#include "cli/common/command.h"
#include "cli/doctor_folders.h"

namespace redraft::cli {

// What there is to say of the server of `--remote`: whether it can be reached, takes the key, which
// models it has, and whether the one that is meant writes. It is sent a few words of ours, and
// asked for one token. The rows end with the first thing that is not sound. No row shows the key.
std::vector<Surrounding> state_of_remote(const CommonOptions& options);

}  // namespace redraft::cli
