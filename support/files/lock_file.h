#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// What one process at a time may have: a locked file that is there for as long as this lives. The
// lock of a process that was killed is free again.
class LockFile {
 public:
  // Waits up to `limit`; nothing when another has it still. The file's folder must be there.
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
