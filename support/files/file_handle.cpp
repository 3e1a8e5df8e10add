#include "support/files/file_handle.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace redraft {

FileHandle FileHandle::open(const char* path, int flags, mode_t mode) {
  return open_at(AT_FDCWD, path, flags, mode);
}

FileHandle FileHandle::open_at(int folder, const char* path, int flags, mode_t mode) {
  int descriptor = -1;
  do {
    descriptor = ::openat(folder, path, flags, mode);
  } while (descriptor < 0 && errno == EINTR);
  return FileHandle(descriptor);
}

FileHandle FileHandle::open_regular(const char* path, int flags, mode_t mode) {
  FileHandle file = open(path, flags | O_NONBLOCK, mode);
  struct stat status = {};
  if (!file || (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode))) return file;
  errno = ENXIO;
  return FileHandle();
}

FileHandle::~FileHandle() {
  if (descriptor_ < 0) return;
  const int reason =
      errno;  // so that a caller that gives up on the file can still report the reason
  ::close(descriptor_);
  errno = reason;
}

}  // namespace redraft
