#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A file (mode 0600) with a hidden name next to the file that it will replace. The destructor
// removes it if it did not. After a failure errno holds the reason.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& beside);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool is_open() const { return static_cast<bool>(handle_); }
  int descriptor() const { return handle_.get(); }
  bool write(std::span<const std::byte> bytes);
  // Renames it after its contents have reached the disk; the name itself may not have reached it
  // yet.
  bool rename_to(const std::filesystem::path& file);
  // Renames it without that guarantee: after a power failure the file may have any contents. For
  // files that are checked when read, and may be lost.
  bool rename_unsynced_to(const std::filesystem::path& file);

 private:
  std::string path_;
  FileHandle handle_;
  bool renamed_ = false;
};

// Creates or replaces `file` (mode 0600) with these bytes, one piece after the other. Any reader,
// also after a crash or a power failure, finds the old content or the new one, never a part; of
// several writers one wins. After an error, such as a full disk, the old file is unchanged.
Result<void> write_whole_file(const std::filesystem::path& file,
                              std::initializer_list<std::span<const std::byte>> pieces);

}  // namespace redraft
