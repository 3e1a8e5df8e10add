#include "support/files/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "support/files/user_folders.h"
#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// A socket's name, with its folder, has at most 107 bytes; the longest of ours has 26.
constexpr std::size_t kMaxSocketFolderBytes = 80;

Result<void> make_socket_folder(const fs::path& folder) {
  if (folder.native().size() <= kMaxSocketFolderBytes) return make_private_folder(folder);
  return Error(folder.string() + ": the path is too long for a folder with sockets: more than " +
               std::to_string(kMaxSocketFolderBytes) + " bytes");
}

}  // namespace

Result<void> make_folders(const fs::path& folder) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    if (part.empty() || ::mkdir(made.c_str(), 0700) == 0) continue;
    struct stat found;
    if (const int reason = errno; ::stat(made.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) {
      errno = reason == EEXIST ? ENOTDIR : reason;
      return file_error(made);
    }
  }
  return {};
}

Result<void> make_private_folder(const fs::path& folder) {
  if (Result<void> made = make_folders(folder); !made) return made;
  struct stat found;
  if (::lstat(folder.c_str(), &found) != 0) return file_error(folder);
  if (!S_ISDIR(found.st_mode)) return Error(folder.string() + ": is a link, not a folder");
  if (found.st_uid != ::geteuid()) return Error(folder.string() + ": belongs to another user");
  if ((found.st_mode & 077) != 0)
    return Error(folder.string() +
                 ": other users have access to it; remove their access with chmod 700");
  return {};
}

Result<fs::path> private_runtime_folder() {
  const char* given = std::getenv("XDG_RUNTIME_DIR");
  if (given && *given == '/' && !belongs_to_another(given)) {
    const fs::path folder = fs::path(given) / "redraft";
    if (make_socket_folder(folder)) return folder;
  }
  const std::optional<fs::path> cache = user_cache_folder();
  if (!cache)
    return Error(
        "there is no folder for sockets: neither XDG_RUNTIME_DIR nor HOME is set, or root was "
        "given "
        "another user's");
  const fs::path folder = *cache / "redraft" / "run";
  if (const Result<void> made = make_socket_folder(folder); !made) return made.error();
  return folder;
}

}  // namespace redraft
