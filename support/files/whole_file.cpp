#include "support/files/whole_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// The name reaches the disk only when its folder is synced.
bool sync_folder(const fs::path& folder) {
  const char* name = folder.empty() ? "." : folder.c_str();
  const FileHandle handle = FileHandle::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return handle && ::fsync(handle.get()) == 0;
}

}  // namespace

NewFile::NewFile(const fs::path& beside)
    : path_((beside.parent_path() / ("." + beside.filename().string() + ".XXXXXX")).string()),
      handle_(::mkostemp(path_.data(), O_CLOEXEC)) {}

NewFile::~NewFile() {
  if (handle_ && !renamed_) ::unlink(path_.c_str());
}

bool NewFile::write(std::span<const std::byte> bytes) {
  // Linux writes at most 2 GiB at once.
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written =
        ::write(handle_.get(), bytes.data(), std::min(bytes.size(), kMaxAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool NewFile::rename_to(const fs::path& file) {
  return ::fsync(handle_.get()) == 0 && rename_unsynced_to(file);
}

bool NewFile::rename_unsynced_to(const fs::path& file) {
  renamed_ = ::rename(path_.c_str(), file.c_str()) == 0;
  return renamed_;
}

Result<void> write_whole_file(const fs::path& file,
                              std::initializer_list<std::span<const std::byte>> pieces) {
  NewFile written(file);
  bool whole = written.is_open();
  for (const auto piece : pieces) whole = whole && written.write(piece);
  if (!whole || !written.rename_to(file) || !sync_folder(file.parent_path()))
    return file_error(file, "cannot be written");
  return {};
}

}  // namespace redraft
