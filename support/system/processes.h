#pragma once

#include <filesystem>
#include <string>

#include "support/files/file_handle.h"

namespace redraft {

// This program's own file, an absolute path; empty if the system does not provide it. Without
// /proc, make the first call before the working directory changes.
std::filesystem::path executable();

// Which mounts, processes and users this process sees. The text is the same for all processes that
// see the same, so paths and process ids have the same meaning for them.
std::string namespaces();

// Whether there is a process `id` that has not ended. A zombie (dead but not yet waited for) has
// ended.
bool is_running(int id);
// A descriptor that becomes readable when that process ends. Empty if there is no such process, or
// if the system has no such descriptors.
FileHandle end_of_process(int id);

}  // namespace redraft
