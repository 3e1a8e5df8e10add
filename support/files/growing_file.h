#pragma once

#include <filesystem>
#include <string_view>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A new file that only this user can read (mode 0600) and that grows by appending: a recording, a
// trace. It never replaces an existing file.
class GrowingFile {
 public:
  // If `wanted` exists already, the file is `wanted`.1, or the first such number that is free.
  // Fails if the file cannot be created.
  static Result<GrowingFile> create(const std::filesystem::path& wanted);

  const std::filesystem::path& path() const { return path_; }
  // Appends all of `bytes`. After an error, such as a full disk, a part of them may be in the file.
  Result<void> append(std::string_view bytes);

 private:
  GrowingFile(std::filesystem::path path, FileHandle handle);

  std::filesystem::path path_;
  FileHandle handle_;
};

}  // namespace redraft
