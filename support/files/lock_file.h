#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A lock that one process at a time can hold: a locked file that exists as long as this object
// lives. When a process is killed, the system frees its locks.
class LockFile {
 public:
  // Waits up to `limit`; nullopt if another process still holds it then. The file's folder must
  // exist.
  static Result<std::optional<LockFile>> take(const std::filesystem::path& file,
                                              std::chrono::milliseconds limit = {});
  LockFile(LockFile&&) noexcept = default;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

 private:
  LockFile(std::filesystem::path file, FileHandle handle)
      : file_(std::move(file)), handle_(std::move(handle)) {}

  std::filesystem::path file_;
  FileHandle handle_;
};

}  // namespace redraft
