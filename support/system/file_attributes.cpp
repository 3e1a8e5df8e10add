#include "support/system/file_attributes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#if __has_include(<sys/xattr.h>) && defined(__linux__)
#include <sys/xattr.h>
#define REDRAFT_EXTENDED_ATTRIBUTES
#endif

namespace redraft {
namespace {

#ifdef REDRAFT_EXTENDED_ATTRIBUTES
// Reads the complete value of `read(buffer, size)`, which returns the size for an empty buffer, and
// -1 on failure.
template <typename Read>
bool read_all(const Read& read, std::string& bytes) {
  constexpr int kTries = 3;  // the value may grow in between
  for (int i = 0; i < kTries; ++i) {
    const ssize_t size = read(nullptr, 0);
    if (size < 0) return false;
    bytes.resize(static_cast<std::size_t>(size));
    const ssize_t n_read = size == 0 ? 0 : read(bytes.data(), bytes.size());
    if (n_read < 0 && errno == ERANGE) continue;
    if (n_read < 0) return false;
    bytes.resize(static_cast<std::size_t>(n_read));
    return true;
  }
  return false;
}

bool copy_extended(int from, int to) {
  std::string names;
  const auto list = [from](char* buffer, std::size_t size) {
    return ::flistxattr(from, buffer, size);
  };
  if (!read_all(list, names)) return errno == ENOTSUP;
  bool all = true;
  for (const char* name = names.c_str(); name < names.data() + names.size();
       name += std::strlen(name) + 1) {
    std::string value, present;
    const auto read_from = [from, name](char* buffer, std::size_t size) {
      return ::fgetxattr(from, name, buffer, size);
    };
    const auto read_to = [to, name](char* buffer, std::size_t size) {
      return ::fgetxattr(to, name, buffer, size);
    };
    if (!read_all(read_from, value)) {
      all = false;
    } else if (::fsetxattr(to, name, value.data(), value.size(), 0) != 0) {
      // A label that the system sets automatically may be equal already.
      all = all && read_all(read_to, present) && present == value;
    }
  }
  return all;
}
#else
bool copy_extended(int, int) { return true; }
#endif

}  // namespace

bool copy_attributes(int from, int to) {
  struct stat old_status = {}, new_status = {};
  if (::fstat(from, &old_status) != 0) return false;
  bool all = ::fchown(to, old_status.st_uid, old_status.st_gid) == 0;
  all = copy_extended(from, to) && all;
  // Last, because changing the owner clears bits of the mode.
  all = ::fchmod(to, old_status.st_mode & 07777) == 0 && all;
  const bool same = ::fstat(to, &new_status) == 0 && new_status.st_mode == old_status.st_mode;
  return all && same;
}

}  // namespace redraft
