#include "indexing/files/file_handle.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace redraft {

FileHandle open_folder(int at, const std::string& name) {
  return FileHandle::open_at(at, name.c_str(),
                             O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

FileHandle open_file(int at, const std::string& name, bool follow_link) {
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (follow_link ? 0 : O_NOFOLLOW);
  return FileHandle::open_at(at, name.c_str(), flags);
}

std::optional<struct stat> stat_entry(int at, const std::string& name) {
  struct stat status {};
  if (::fstatat(at, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return status;
}

std::optional<struct stat> stat_handle(const FileHandle& file) {
  struct stat status {};
  if (!file) return std::nullopt;  // errno still says why it could not be opened
  if (::fstat(file.get(), &status) != 0) return std::nullopt;
  return status;
}

std::optional<std::string> read_up_to(const FileHandle& file, std::size_t most) {
  constexpr std::size_t kStep = 64 * 1024;
  std::string bytes;
  while (bytes.size() < most) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(most, before + kStep));
    const ssize_t n = ::read(file.get(), bytes.data() + before, bytes.size() - before);
    bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
  }
  return bytes;
}

std::optional<std::string> read_small_file(int at, const std::string& name, bool follow_link,
                                           std::size_t most) {
  const FileHandle file = open_file(at, name, follow_link);
  if (!file) return std::nullopt;
  const std::optional<struct stat> status = stat_handle(file);
  if (!status) return std::nullopt;
  if (!S_ISREG(status->st_mode)) {
    errno = EINVAL;
    return std::nullopt;
  }
  std::optional<std::string> bytes = read_up_to(file, most + 1);
  if (bytes && bytes->size() > most) {
    errno = EFBIG;
    return std::nullopt;
  }
  return bytes;
}

}  // namespace redraft
