#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

inline constexpr std::uint64_t kMaxSourceBytes = 1 << 20;

// One file of the workspace, as it was at the time of the walk.
struct SourceFile {
  std::size_t root_idx = 0;   // into the roots given to the walk
  std::string path;           // relative to that root: UTF-8, slashes between names
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // nanoseconds since 1970, by the file system
  std::uint64_t inode = 0;
  std::string_view language;  // language_of(path): static memory
};

// The text of a file below `root`. Opens the file through no symbolic link below the root. The file
// must be a regular file of at most `most` bytes, and must not change while it is read (with one
// retry). The error names the file and the reason; a text that file_kind rejects is also an error.
// Blocks as long as the file system takes; any thread.
Result<std::string> read_source(const std::filesystem::path& root, std::string_view path,
                                std::uint64_t most = kMaxSourceBytes);

}  // namespace redraft
