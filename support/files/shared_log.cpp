#include "support/files/shared_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <system_error>

#include "support/files/lock_file.h"
#include "support/system_error.h"

namespace redraft {

namespace fs = std::filesystem;

// Holds a lock, so that no process renames the file that another one has just started.
void SharedLog::rename_if_long() const {
  const auto is_long = [this] {
    std::error_code problem;
    return fs::file_size(file_, problem) > max_bytes_ && !problem;
  };
  if (!is_long()) return;
  const Result<std::optional<LockFile>> lock = LockFile::take(file_.string() + ".lock");
  if (!lock || !*lock || !is_long()) return;
  std::error_code problem;
  fs::rename(file_, file_.string() + ".old", problem);
}

Result<FileHandle> SharedLog::open() const {
  rename_if_long();
  FileHandle log = FileHandle::open_regular(
      file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (!log) return file_error(file_);
  return log;
}

bool SharedLog::is_at(int descriptor) const {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(file_.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void SharedLog::follow(int descriptor) const {
  rename_if_long();
  if (is_at(descriptor)) return;
  const Result<FileHandle> log = open();
  if (log) ::dup2(log->get(), descriptor);
}

}  // namespace redraft
