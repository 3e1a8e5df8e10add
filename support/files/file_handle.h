#pragma once

#include <sys/types.h>

#include <utility>

namespace redraft {

// Owns one file descriptor, or none.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  // Like open(2) and openat(2), but retries after a signal, which can interrupt them on network
  // folders and pipes. On failure the handle is empty and errno gives the reason.
  static FileHandle open(const char* path, int flags, mode_t mode = 0);
  static FileHandle open_at(int folder, const char* path, int flags, mode_t mode = 0);
  // The same for a file that nobody else should have replaced: waits for no pipe, and opens a
  // regular file only; anything else fails with ENXIO.
  static FileHandle open_regular(const char* path, int flags, mode_t mode = 0);
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle();

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

}  // namespace redraft
