#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>

#include "support/files/file_handle.h"

namespace redraft {

// These leave the reason in errno where they give nothing.

// A folder that `name` is in `at`, never through a symbolic link. Needs leave to read it.
FileHandle open_folder(int at, const std::string& name);
// A file for reading; `at` may be AT_FDCWD. Never waits, not even for the other end of a pipe.
FileHandle open_file(int at, const std::string& name, bool follow_link);
std::optional<struct stat> stat_entry(int at, const std::string& name);  // of a link itself
std::optional<struct stat> stat_handle(const FileHandle& file);
// The first `most` bytes from where the handle stands, or all that there are.
std::optional<std::string> read_up_to(const FileHandle& file, std::size_t most);
// All of a regular file that has at most `most` bytes.
std::optional<std::string> read_small_file(int at, const std::string& name, bool follow_link,
                                           std::size_t most);

}  // namespace redraft
