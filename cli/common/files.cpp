#include "cli/common/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>

#include "support/files/file_handle.h"
#include "support/files/whole_file.h"
#include "support/system/file_attributes.h"
#include "support/system_error.h"

namespace redraft::cli {

namespace fs = std::filesystem;

namespace {

// Call this as late as possible before writing: another program's changes are more important than
// this edit.
Result<void> check_unchanged(const fs::path& file, const fs::path& place,
                             std::string_view expected) {
  const Result<std::string> current = read_file(place);
  if (!current) return current.error();
  if (*current == expected) return {};
  return Error(file.string() +
               ": not written, because the file has changed on disk. Run the command again");
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

std::string why_in_place(const fs::path& file, std::uint64_t n_names) {
  const std::string why = n_names > 1 ? "it has " + std::to_string(n_names) + " names (hard links)"
                                      : "a new file cannot have all of its attributes";
  return file.string() + " was written in place, because " + why +
         ". Another program may have read a part of the new text";
}

}  // namespace

std::string read_standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

Result<std::string> read_file(const fs::path& file) {
  std::error_code problem;
  if (fs::is_directory(file, problem)) return Error(file.string() + ": is a directory");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return file_error(file, "cannot read the file");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return file_error(file, "cannot read the file");
  return text;
}

Result<std::string> replace_file(const fs::path& file, std::string_view expected,
                                 std::string_view text) {
  std::error_code problem;
  const fs::path place = fs::canonical(file, problem);
  if (problem) return Error(file.string() + ": not written: " + problem.message());
  const FileHandle old(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (!old || ::fstat(old.get(), &status) != 0 || ::access(place.c_str(), W_OK) != 0)
    return file_error(file, "not written");
  NewFile written(place);
  if (!written.is_open() || !written.write(std::as_bytes(std::span(text))))
    return file_error(file, "not written");
  const bool is_same = copy_attributes(old.get(), written.descriptor()) && status.st_nlink == 1;
  if (const Result<void> unchanged = check_unchanged(file, place, expected); !unchanged)
    return unchanged.error();
  if (is_same) {
    if (!written.rename_to(place)) return file_error(file, "not written");
    return std::string();
  }
  if (::fsync(written.descriptor()) != 0 || !write_in_place(place, expected, text))
    return file_error(file, "not written");
  return why_in_place(file, status.st_nlink);
}

}  // namespace redraft::cli
