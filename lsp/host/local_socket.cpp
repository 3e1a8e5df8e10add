#include "lsp/host/local_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "support/files/private_folder.h"
#include "support/system/descriptors.h"
#include "support/system_error.h"

namespace redraft::lsp {
namespace {

namespace fs = std::filesystem;
constexpr int kBacklog = 64;
Result<sockaddr_un> address_of(const fs::path& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    return Error(path.string() + ": the name of a socket has at most " +
                 std::to_string(sizeof address.sun_path - 1) + " bytes");
  }
  path.native().copy(address.sun_path, path.native().size());
  return address;
}

// The connection, or the error as an errno.
int try_to_connect(const sockaddr_un& address, FileHandle& connection) {
  FileHandle socket = make_stream_socket(AF_UNIX);
  // Non-blocking: the queue of a stopped server may be full.
  if (!socket || ::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0 ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return errno;
  ::fcntl(socket.get(), F_SETFL, 0);
  connection = std::move(socket);
  return 0;
}

// A listener at `path` that does not hold our lock is another program.
Result<void> remove_stale(const fs::path& path, const sockaddr_un& address) {
  struct stat found;
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return file_error(path);
  }
  if (!S_ISSOCK(found.st_mode)) return Error(path.string() + ": is there and is no socket");
  FileHandle connection;
  if (try_to_connect(address, connection) != ECONNREFUSED)
    return Error(path.string() + ": another program listens there");
  if (::unlink(path.c_str()) != 0) return file_error(path);
  return {};
}

Result<FileHandle> bind_and_listen(const fs::path& path, const sockaddr_un& address) {
  FileHandle socket = make_stream_socket(AF_UNIX);
  if (!socket) return file_error(path);
  const mode_t before = ::umask(0177);
  const int bound =
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  if (bound != 0 || ::listen(socket.get(), kBacklog) != 0) return file_error(path);
  return socket;
}

}  // namespace

Result<LocalSocket> LocalSocket::listen(const fs::path& given) {
  const fs::path path = fs::absolute(given);
  const Result<sockaddr_un> address = address_of(path);
  if (!address) return address.error();
  if (const Result<void> made = make_folders(path.parent_path()); !made) return made.error();
  Result<std::optional<LockFile>> lock = LockFile::take(path.string() + ".lock");
  if (!lock) return lock.error();
  if (!*lock) return Error(path.string() + ": another redraft serves there");
  if (const Result<void> removed = remove_stale(path, *address); !removed) return removed.error();
  Result<FileHandle> socket = bind_and_listen(path, *address);
  if (!socket) return socket.error();
  struct stat made_now;
  if (::lstat(path.c_str(), &made_now) != 0) return file_error(path);
  return LocalSocket(path, std::move(**lock), std::move(*socket), made_now.st_ino);
}

// Someone may have removed the file and another server may have started there.
LocalSocket::~LocalSocket() {
  struct stat found;
  if (socket_ && ::lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_)
    ::unlink(path_.c_str());
}

Result<FileHandle> connect_to(const fs::path& path) {
  const Result<sockaddr_un> address = address_of(path);
  if (!address) return address.error();
  FileHandle socket;
  if (const int reason = try_to_connect(*address, socket); reason != 0)
    return Error(path.string() + ": " + std::strerror(reason));
  if (!is_own_peer(socket.get())) return Error(path.string() + ": another user listens there");
  return socket;
}

}  // namespace redraft::lsp
