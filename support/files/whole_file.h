#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A file (mode 0600) with a hidden name next to the file that it is to replace; removed again if it
// never does. After a failure errno holds the reason.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& beside);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool is_open() const { return static_cast<bool>(handle_); }
  int descriptor() const { return handle_.get(); }
  bool write(std::span<const std::byte> bytes);
  // After its contents have reached the disk; the name itself may not have yet.
  bool rename_to(const std::filesystem::path& file);
  // Without that: after a failure of power the file may have any contents. For what is checked when
  // it is read, and can be lost.
  bool rename_unsynced_to(const std::filesystem::path& file);

 private:
  std::string path_;
  FileHandle handle_;
  bool renamed_ = false;
};

// Creates or replaces `file` (mode 0600) with these bytes, one piece after the other. Any reader,
// also after a crash or a power failure, finds the old content or the new one, never a part; of
// several writers one wins. After an error (a full disk, say) the old file is unchanged.
Result<void> write_whole_file(const std::filesystem::path& file,
                              std::initializer_list<std::span<const std::byte>> pieces);

}  // namespace redraft
