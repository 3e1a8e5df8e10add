#pragma once

#include <filesystem>
#include <vector>

#include "cli/doctor_folders.h"

namespace redraft::cli {

// What belongs to this program and lies beside it. An installation may lie anywhere: its files are
// found by where the program is. A program that was not installed finds those of its source.

// The script that fetches models, or an empty path.
std::filesystem::path fetch_script();

// Whether the part with libtorch can be loaded, without which no model runs, and what to do where
// it cannot. Loads it, which takes a fifth of a second.
Surrounding state_of_libtorch();

// The same of the other files, without which less works.
std::vector<Surrounding> installation();

}  // namespace redraft::cli
