#include "support/files/file_handle.h"

#include <unistd.h>

#include <cerrno>

namespace redraft {

FileHandle::~FileHandle() {
  if (descriptor_ < 0) return;
  const int reason = errno;  // whoever gives up on a file still wants to say why
  ::close(descriptor_);
  errno = reason;
}

}  // namespace redraft
