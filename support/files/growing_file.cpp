#include "support/files/growing_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxNumber = 9999;

}  // namespace

GrowingFile::GrowingFile(fs::path path, FileHandle handle)
    : path_(std::move(path)), handle_(std::move(handle)) {}

Result<GrowingFile> GrowingFile::create(const fs::path& wanted) {
  fs::path path = wanted;
  for (int number = 1; number <= kMaxNumber; ++number) {
    FileHandle handle =
        FileHandle::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (handle) return GrowingFile(std::move(path), std::move(handle));
    if (errno != EEXIST) return file_error(path, "cannot be created");
    path = wanted.string() + "." + std::to_string(number);
  }
  return Error(wanted.string() + ": already exists, as do " + std::to_string(kMaxNumber - 1) +
               " files with this name and a number; choose another name");
}

Result<void> GrowingFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(handle_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return file_error(path_, "cannot be written");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace redraft
