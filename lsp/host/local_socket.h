#pragma once

#include <sys/types.h>

#include <filesystem>
#include <utility>

#include "support/files/file_handle.h"
#include "support/files/lock_file.h"
#include "support/result.h"

namespace redraft::lsp {

// A listening unix domain socket with a name in the file system. Only this user may connect (mode
// 0600 from the first moment). The name is removed with this object.
class LocalSocket {
 public:
  // Creates missing folders above `path` (0700) and replaces what a killed server left behind. An
  // error if a server lives there, or the name belongs to something else.
  static Result<LocalSocket> listen(const std::filesystem::path& path);
  LocalSocket(LocalSocket&&) noexcept = default;
  LocalSocket& operator=(LocalSocket&&) = delete;
  ~LocalSocket();

  int descriptor() const { return socket_.get(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  LocalSocket(std::filesystem::path path, LockFile lock, FileHandle socket, ino_t inode)
      : path_(std::move(path)), lock_(std::move(lock)), socket_(std::move(socket)), inode_(inode) {}

  std::filesystem::path path_;
  LockFile lock_;  // its holder may replace the file
  FileHandle socket_;
  ino_t inode_;
};

// An error if nobody listens there, too many wait, or the listener is another user's.
Result<FileHandle> connect_to(const std::filesystem::path& path);

}  // namespace redraft::lsp
