#pragma once

#include <sys/types.h>

#include <filesystem>
#include <utility>

#include "support/files/file_handle.h"
#include "support/files/lock_file.h"
#include "support/result.h"

namespace redraft::lsp {

// A unix domain socket that listens under a name of the file system, where only this user may
// connect (mode 0600 from the moment it is there). The name goes with it.
class LocalSocket {
 public:
  // Missing folders above are made (0700). What a server that was killed left behind is replaced;
  // an error where one lives, or the name belongs to something else.
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
  LockFile lock_;  // who has it may replace the file
  FileHandle socket_;
  ino_t inode_;
};

// An error: nobody listens there, too many wait, or it is another user.
Result<FileHandle> connect_to(const std::filesystem::path& path);

// Whether the other end of a unix domain socket is a process of this user.
bool is_own_peer(int socket);

}  // namespace redraft::lsp
