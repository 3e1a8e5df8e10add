#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace redraft {

// When a file's contents last changed, and when anything about the file last changed (its mode, its
// name): nanoseconds since 1970, according to the file system.
std::int64_t modified_at(const struct stat& status);
std::int64_t changed_at(const struct stat& status);

}  // namespace redraft
