#include "mcp/files/open_beneath.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace redraft::mcp {
namespace {

// Some systems' headers lack openat2(); its number is the same on all processors.
constexpr long kOpenAt2 = 437;

struct OpenHow {
  std::uint64_t flags;
  std::uint64_t mode;
  std::uint64_t resolve;
};
constexpr std::uint64_t kNoMagicLinks = 0x02;
constexpr std::uint64_t kNoLinks = 0x04;
constexpr std::uint64_t kBeneath = 0x08;

// A path that both ways read in the same way. The kernel would ignore empty components and ".".
bool is_plain(std::string_view path) {
  if (path.empty() || path.find('\0') != std::string_view::npos) return false;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (name.empty() || name == "." || name == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

FileHandle open_at_once(int folder, const std::string& path, int flags) {
  OpenHow how = {.flags = static_cast<std::uint64_t>(flags),
                 .mode = 0,
                 .resolve = kBeneath | kNoLinks | kNoMagicLinks};
  long descriptor = -1;
  do {
    descriptor = ::syscall(kOpenAt2, folder, path.c_str(), &how, sizeof how);
    // EAGAIN: something was renamed at the same time.
  } while (descriptor < 0 && (errno == EINTR || errno == EAGAIN));
  return FileHandle(static_cast<int>(descriptor));
}

FileHandle open_by_step(int folder, const std::string& path, int flags) {
  constexpr int kFolder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  FileHandle above;
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', begin)) {
    const int at = above ? above.get() : folder;
    FileHandle next = FileHandle::open_at(at, path.substr(begin, slash - begin).c_str(), kFolder);
    if (!next) return next;
    above = std::move(next);
    begin = slash + 1;
  }
  return FileHandle::open_at(above ? above.get() : folder, path.c_str() + begin,
                             flags | O_NOFOLLOW);
}

}  // namespace

FileHandle open_beneath(int folder, const std::string& path, int flags, OpenWay way) {
  if (!is_plain(path)) {
    errno = EINVAL;
    return {};
  }
  return way == OpenWay::kAtOnce ? open_at_once(folder, path, flags)
                                 : open_by_step(folder, path, flags);
}

FileHandle open_beneath(int folder, const std::string& path, int flags) {
  static const bool has_openat2 = [] {
    const FileHandle here = FileHandle::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    OpenHow how = {.flags = O_PATH | O_CLOEXEC, .mode = 0, .resolve = kBeneath};
    return static_cast<bool>(
        FileHandle(static_cast<int>(::syscall(kOpenAt2, here.get(), ".", &how, sizeof how))));
  }();
  return open_beneath(folder, path, flags, has_openat2 ? OpenWay::kAtOnce : OpenWay::kByStep);
}

}  // namespace redraft::mcp
