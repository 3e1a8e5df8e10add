#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace redraft {

// A temporary folder in the folder where the tests run, for files that must be on a disk: /tmp may
// be in memory.
class FolderOnDisk {
 public:
  FolderOnDisk()
      : path_(std::filesystem::current_path() / ("on-disk-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(path_);
  }
  FolderOnDisk(const FolderOnDisk&) = delete;
  FolderOnDisk& operator=(const FolderOnDisk&) = delete;
  ~FolderOnDisk() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace redraft
