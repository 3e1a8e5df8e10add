#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace redraft {

// When a file's contents changed last, and when the file did in any way (its mode, its name):
// nanoseconds since 1970, by the file system.
std::int64_t modified_at(const struct stat& status);
std::int64_t changed_at(const struct stat& status);

}  // namespace redraft
