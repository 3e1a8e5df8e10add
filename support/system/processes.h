#pragma once

#include <filesystem>

namespace redraft {

// This program's own file.
std::filesystem::path executable();

// Whether there is a process `id` that has not ended. A zombie, dead but not yet waited for, has.
bool is_running(int id);

}  // namespace redraft
