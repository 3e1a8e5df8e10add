#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

inline constexpr std::uint64_t kMaxSourceBytes = 1 << 20;

// One file of the workspace, as it was when somebody looked.
struct SourceFile {
  std::size_t root_idx = 0;   // of the roots given to the walk
  std::string path;           // relative to that root: UTF-8, slashes between names
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // nanoseconds since 1970, as the file system has it
  std::uint64_t inode = 0;
  std::string_view language;  // language_of(path): of the program's own memory
};

// The text of a file below `root`, which is opened through no symbolic link below the root, is a
// regular file of at most `most` bytes, and did not change while it was read (a second try is
// made). An error says which file and why; so it does for a text that file_kind does not want.
// Blocks for as long as the file system takes; any thread.
Result<std::string> read_source(const std::filesystem::path& root, std::string_view path,
                                std::uint64_t most = kMaxSourceBytes);

}  // namespace redraft
