#include "support/files/scratch_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "support/files/file_handle.h"
#include "support/files/private_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

Error refused(const fs::path& folder, int problem) {
  return Error(folder.string() + ": " + std::strerror(problem));
}

// On file systems without unnamed files, creates a named one and unlinks it at once.
FileHandle open_nameless(const fs::path& folder) {
  FileHandle file = FileHandle::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  std::string name = (folder / "scratch-XXXXXX").string();
  file = FileHandle(::mkostemp(name.data(), O_CLOEXEC));
  if (file && ::unlink(name.c_str()) != 0) return {};
  return file;
}

// Returns 0, or the errno. Checks a limit on the size of files first, because the system would end
// the process.
int reserve(const FileHandle& file, std::size_t bytes) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) return EFBIG;
  int problem = EINTR;
  while (problem == EINTR) problem = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes));
  return problem;
}

bool is_in_memory(const FileHandle& file) {
  struct statfs status = {};
  return ::fstatfs(file.get(), &status) == 0 &&
         (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

}  // namespace

Result<ScratchMemory> ScratchMemory::make(const fs::path& folder, std::size_t bytes) {
  if (const Result<void> made = make_folders(folder); !made) return made.error();
  const FileHandle file = open_nameless(folder);
  if (!file) return refused(folder, errno);
  if (is_in_memory(file))
    return Error(folder.string() + ": is in memory, not on a disk; choose a folder on a disk");
  if (const int problem = reserve(file, bytes)) return refused(folder, problem);
  void* const begin = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (begin == MAP_FAILED) return refused(folder, errno);
  return ScratchMemory({static_cast<std::uint8_t*>(begin), bytes});
}

ScratchMemory::ScratchMemory(ScratchMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

ScratchMemory::~ScratchMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

void ScratchMemory::seal() const { ::mprotect(bytes_.data(), bytes_.size(), PROT_READ); }

}  // namespace redraft
