#include "support/files/file_handle.h"

#include <unistd.h>

#include <cerrno>

namespace redraft {

FileHandle::~FileHandle() {
  if (descriptor_ < 0) return;
  const int reason = errno;  // so that a caller that gives up on the file can still report why
  ::close(descriptor_);
  errno = reason;
}

}  // namespace redraft
