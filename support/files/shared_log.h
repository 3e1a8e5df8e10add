#pragma once

#include <cstdint>
#include <filesystem>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A log to which several processes append, each through a descriptor of its own. When it has grown
// long it becomes NAME.old, in the place of an older one, and a new file is begun: whichever
// process notices first renames it, and the others follow when they look.
class SharedLog {
 public:
  static constexpr std::uintmax_t kMaxBytes = 5 << 20;

  explicit SharedLog(std::filesystem::path file, std::uintmax_t max_bytes = kMaxBytes)
      : file_(std::move(file)), max_bytes_(max_bytes) {}

  const std::filesystem::path& file() const { return file_; }

  // A descriptor to append through, for this process or one that it starts; mode 0600. Its folder
  // must exist.
  Result<FileHandle> open() const;
  // Whether what is written to `descriptor` is in this log now.
  bool is_at(int descriptor) const;
  // Has `descriptor`, which open() made, go on in the file that counts now. Where that fails it
  // stays as it is. One thread at a time for each descriptor; may be called before each line.
  void follow(int descriptor) const;

 private:
  void rename_if_long() const;

  std::filesystem::path file_;
  std::uintmax_t max_bytes_;
};

}  // namespace redraft
