#include "support/system/replace_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>

#include "support/files/file_handle.h"
#include "support/files/whole_file.h"
#include "support/system/file_attributes.h"
#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// Whether the file has exactly this text. Nothing: it cannot be read.
std::optional<bool> has_text(const fs::path& place, std::string_view expected) {
  const FileHandle file = FileHandle::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (!file) return std::nullopt;
  std::string buffer(std::size_t{64} << 10, '\0');
  while (true) {
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) return expected.empty();
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(size));
    if (!expected.starts_with(piece)) return false;
    expected.remove_prefix(piece.size());
  }
}

// Call this as late as possible before writing: another program's changes are more important than
// this edit.
Result<void> check_unchanged(const fs::path& place, const std::string& shown,
                             std::string_view expected) {
  const std::optional<bool> same = has_text(place, expected);
  if (!same) return file_error(shown, "cannot read the file");
  if (*same) return {};
  return Error(shown + ": not written, because the file has changed on disk. Try again");
}

bool write_all(int descriptor, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n =
        ::pwrite(descriptor, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return ::ftruncate(descriptor, static_cast<off_t>(text.size())) == 0 && ::fsync(descriptor) == 0;
}

// Writing clears the mode's setuid and setgid bits.
bool write_in_place(const fs::path& place, std::string_view old_text, std::string_view text) {
  const FileHandle handle(::open(place.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat before = {}, after = {};
  if (!handle || ::fstat(handle.get(), &before) != 0) return false;
  const bool written = write_all(handle.get(), text);
  const int reason = errno;
  if (!written) (void)write_all(handle.get(), old_text);  // a full disk has room for the old text
  if (::fstat(handle.get(), &after) == 0 && after.st_mode != before.st_mode)
    (void)::fchmod(handle.get(), before.st_mode & 07777);
  errno = reason;
  return written;
}

std::string why_in_place(const std::string& shown, std::uint64_t n_names) {
  const std::string why = n_names > 1 ? "it has " + std::to_string(n_names) + " names (hard links)"
                                      : "a new file cannot have all of its attributes";
  return shown + " was written in place, because " + why +
         ". Another program may have read a part of the new text";
}

}  // namespace

Result<std::string> replace_text(const fs::path& place, const std::string& shown,
                                 std::string_view expected, std::string_view text) {
  const FileHandle old(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status = {};
  if (!old || ::fstat(old.get(), &status) != 0 || ::access(place.c_str(), W_OK) != 0)
    return file_error(shown, "not written");
  NewFile written(place);
  if (!written.is_open() || !written.write(std::as_bytes(std::span(text))))
    return file_error(shown, "not written");
  const bool is_same = copy_attributes(old.get(), written.descriptor()) && status.st_nlink == 1;
  if (const Result<void> unchanged = check_unchanged(place, shown, expected); !unchanged)
    return unchanged.error();
  if (is_same) {
    if (!written.rename_to(place)) return file_error(shown, "not written");
    return std::string();
  }
  if (::fsync(written.descriptor()) != 0 || !write_in_place(place, expected, text))
    return file_error(shown, "not written");
  return why_in_place(shown, status.st_nlink);
}

}  // namespace redraft
