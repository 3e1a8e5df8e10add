#include "support/files/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace redraft {
namespace {

namespace fs = std::filesystem;

// A file under another name until it is whole; gone again if it never is.
class NewFile {
 public:
  explicit NewFile(const fs::path& file) : path_(file.string() + ".new-XXXXXX") {
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);
  }
  ~NewFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!renamed_) ::unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool created() const { return descriptor_ >= 0; }
  bool write(std::span<const std::byte> bytes) {
    // Linux writes at most 2 GiB at once.
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    while (!bytes.empty()) {
      const ssize_t written =
          ::write(descriptor_, bytes.data(), std::min(bytes.size(), kMostAtOnce));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
  }
  bool rename_to(const fs::path& file) {
    renamed_ = ::fsync(descriptor_) == 0 && ::rename(path_.c_str(), file.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

// The name is on the disk only once its folder is.
bool sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return synced;
}

}  // namespace

Result<void> write_whole_file(const fs::path& file,
                              std::initializer_list<std::span<const std::byte>> pieces) {
  const auto failed = [&] { return Error(file.string() + ": " + std::strerror(errno)); };
  NewFile written(file);
  if (!written.created()) return failed();
  for (const auto piece : pieces) {
    if (!written.write(piece)) return failed();
  }
  if (!written.rename_to(file) || !sync_folder(file.parent_path())) return failed();
  return {};
}

}  // namespace redraft
