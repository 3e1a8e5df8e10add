#pragma once

#include <cstdint>
#include <filesystem>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A log to which several processes append, each through its own descriptor. When it has grown long
// it is renamed to NAME.old, which replaces an older one, and a new file is started. The process
// that notices first renames it, and the others follow when they check.
class SharedLog {
 public:
  static constexpr std::uintmax_t kMaxBytes = 5 << 20;

  explicit SharedLog(std::filesystem::path file, std::uintmax_t max_bytes = kMaxBytes)
      : file_(std::move(file)), max_bytes_(max_bytes) {}

  const std::filesystem::path& file() const { return file_; }

  // A descriptor to append through, for this process or one that it starts; mode 0600. The log's
  // folder must exist.
  Result<FileHandle> open() const;
  // Whether writes to `descriptor` currently go to this log's file.
  bool is_at(int descriptor) const;
  // Redirects `descriptor`, which open() made, to the current file. On failure it stays as it is.
  // One thread at a time for each descriptor; may be called before each line.
  void follow(int descriptor) const;

 private:
  void rename_if_long() const;

  std::filesystem::path file_;
  std::uintmax_t max_bytes_;
};

}  // namespace redraft
