#pragma once

#include <filesystem>
#include <vector>

#include "cli/doctor_folders.h"

namespace redraft::cli {

// The files that belong to this program. An installation may be anywhere: its files are found
// relative to the program. A program that was not installed finds the files of its source tree.

// The script that fetches models, or an empty path.
std::filesystem::path fetch_script();

// Whether the part with libtorch can be loaded, without which no model runs, and what to do if it
// cannot. Loads it, which takes a fifth of a second.
Surrounding state_of_libtorch();

// The state of the other files; without them some features are missing.
std::vector<Surrounding> installation();

}  // namespace redraft::cli
