#pragma once

#include <cstdint>

namespace redraft {

// Identifies an unchanged file without reading it.
struct FileStamp {
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // nanoseconds since 1970
  std::uint64_t inode = 0;
  bool operator==(const FileStamp&) const = default;
};

}  // namespace redraft
