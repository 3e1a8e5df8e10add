#pragma once

#include <filesystem>
#include <string_view>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A new file of this user alone (mode 0600) that grows by what is appended: a recording, a trace.
// It never takes the place of another.
class GrowingFile {
 public:
  // Where something stands at `wanted` the file is `wanted`.1, or the first such number that is
  // free. An error: it cannot be made there.
  static Result<GrowingFile> create(const std::filesystem::path& wanted);

  const std::filesystem::path& path() const { return path_; }
  // All of it, or an error (a full disk, say); a part of it may then be in the file.
  Result<void> append(std::string_view bytes);

 private:
  GrowingFile(std::filesystem::path path, FileHandle handle);

  std::filesystem::path path_;
  FileHandle handle_;
};

}  // namespace redraft
