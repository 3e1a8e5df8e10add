// The process that holds the lock removes the file. So between opening and locking, the name may
// come to refer to another file. Only a lock on the file that the name refers to counts.
#include "support/files/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
constexpr auto kInterval = std::chrono::milliseconds(10);

bool is_at(int descriptor, const fs::path& file) {
  struct stat opened;
  struct stat named;
  return ::fstat(descriptor, &opened) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}
}  // namespace

Result<std::optional<LockFile>> LockFile::take(const fs::path& file,
                                               std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    FileHandle handle =
        FileHandle::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (!handle) return file_error(file, "cannot be locked");
    // Whoever has removed the file since it was opened leaves nothing to lock.
    const bool locked = ::flock(handle.get(), LOCK_EX | LOCK_NB) == 0;
    if (locked && is_at(handle.get(), file))
      return std::optional(LockFile(file, std::move(handle)));
    if (!locked && errno != EWOULDBLOCK && errno != EINTR)
      return file_error(file, "cannot be locked");
    if (std::chrono::steady_clock::now() >= deadline) return std::optional<LockFile>();
    std::this_thread::sleep_for(kInterval);
  }
}

LockFile::~LockFile() {
  if (handle_ && is_at(handle_.get(), file_)) ::unlink(file_.c_str());
}

}  // namespace redraft
