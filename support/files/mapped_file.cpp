#include "support/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <string>
#include <utility>

#include "support/files/file_handle.h"
#include "support/system_error.h"

namespace redraft {

Result<MappedFile> MappedFile::open(const std::filesystem::path& file, LostPages lost) {
  const FileHandle handle = FileHandle::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (!handle) return file_error(file);
  struct stat status {};
  if (::fstat(handle.get(), &status) != 0) return file_error(file);
  if (!S_ISREG(status.st_mode)) return Error(file.string() + ": not a regular file");
  if (status.st_size == 0) return Error(file.string() + ": the file is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, handle.get(), 0);
  if (address == MAP_FAILED) return file_error(file);
  return MappedFile(std::span(static_cast<const std::uint8_t*>(address), size), lost);
}

MappedFile::MappedFile(std::span<const std::uint8_t> bytes, LostPages lost) : bytes_(bytes) {
  if (lost == LostPages::kReadAsZeros) guard_ = GuardedPages(bytes);
}

MappedFile::~MappedFile() {
  guard_ = GuardedPages();
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), guard_(std::move(other.guard_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(guard_, other.guard_);
  return *this;
}

void MappedFile::release_pages() const {
  ::madvise(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace redraft
