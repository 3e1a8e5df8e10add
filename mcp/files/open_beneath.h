#pragma once

#include <cstdint>
#include <string>

#include "support/files/file_handle.h"

namespace redraft::mcp {

// How the kernel is asked. kByStep is for kernels and containers without openat2().
enum class OpenWay : std::uint8_t { kAtOnce, kByStep };

// Opens `path`, relative and with slashes, below the open folder `folder`, with these flags of
// open(). No component may be a link, "." or "..", so the result is within the folder even if
// somebody replaces components by links meanwhile. Empty on failure, with the reason in errno:
// ELOOP or ENOTDIR for a link.
FileHandle open_beneath(int folder, const std::string& path, int flags, OpenWay way);
// With openat2() if there is one.
FileHandle open_beneath(int folder, const std::string& path, int flags);

}  // namespace redraft::mcp
