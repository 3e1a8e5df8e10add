#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

#include "support/files/file_handle.h"

namespace redraft {

// On failure errno holds the reason.

// The folder `name` in the folder `at`, never through a symbolic link. Requires permission to read
// it.
FileHandle open_folder(int at, const std::string& name);
// A file for reading; `at` may be AT_FDCWD. Never blocks, not even on a pipe.
FileHandle open_file(int at, const std::string& name, bool follow_link);
// Describes the link itself if the entry is one.
std::optional<struct stat> stat_entry(int at, const std::string& name);
std::optional<struct stat> stat_handle(const FileHandle& file);
// Up to `most` bytes from the handle's current position.
std::optional<std::string> read_up_to(const FileHandle& file, std::size_t most);
// All of a regular file that has at most `most` bytes.
std::optional<std::string> read_small_file(int at, const std::string& name, bool follow_link,
                                           std::size_t most);

}  // namespace redraft
