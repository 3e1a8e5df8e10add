#pragma once

#include <filesystem>
#include <string>

#include "support/files/file_handle.h"

namespace redraft {

// This program's own file, an absolute path; empty if the system does not tell. Without /proc the
// first call has to come before the working directory changes.
std::filesystem::path executable();

// Which mounts, processes and users this process sees: the same text for all that see the same, so
// that paths and process ids mean the same to them.
std::string namespaces();

// Whether there is a process `id` that has not ended. A zombie, dead but not yet waited for, has.
bool is_running(int id);
// A descriptor that becomes readable when that process ends. None if there is no such process, or
// if the system has no such descriptors.
FileHandle end_of_process(int id);

}  // namespace redraft
