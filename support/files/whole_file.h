#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A file (mode 0600) under a hidden name beside the one that it is to become; gone again if it
// never does. What fails leaves its reason in errno.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& beside);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool is_open() const { return static_cast<bool>(handle_); }
  int descriptor() const { return handle_.get(); }
  bool write(std::span<const std::byte> bytes);
  // With what was written on the disk; the name itself may not be there yet.
  bool rename_to(const std::filesystem::path& file);

 private:
  std::string path_;
  FileHandle handle_;
  bool renamed_ = false;
};

// Creates or replaces `file` (mode 0600) with these bytes, one piece after the other. Whoever reads
// it, and whoever starts after a crash or a loss of power, finds the old content or the new one and
// never a part; of several writers one wins. After an error (a full disk, say) the old file is as
// it was.
Result<void> write_whole_file(const std::filesystem::path& file,
                              std::initializer_list<std::span<const std::byte>> pieces);

}  // namespace redraft
