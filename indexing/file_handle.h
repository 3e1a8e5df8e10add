#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace redraft {

// Owns one file descriptor, or none.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
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

// The functions below leave the reason in errno where they give nothing.

// A folder that `name` is in `at`, never through a symbolic link. Needs leave to read it.
FileHandle open_folder(int at, const std::string& name);
// A file for reading; `at` may be AT_FDCWD. Never waits, not even for the other end of a pipe.
FileHandle open_file(int at, const std::string& name, bool follow_link);
std::optional<struct stat> stat_entry(int at, const std::string& name);  // of a link itself
std::optional<struct stat> stat_handle(const FileHandle& file);
// The first `most` bytes from where the handle stands, or all that there are.
std::optional<std::string> read_up_to(const FileHandle& file, std::size_t most);
// All of a regular file that has at most `most` bytes.
std::optional<std::string> read_small_file(int at, const std::string& name, bool follow_link,
                                           std::size_t most);

}  // namespace redraft
