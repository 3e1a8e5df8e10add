#include "indexing/files/source_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "indexing/files/file_handle.h"
#include "indexing/files/file_kind.h"
#include "support/files/file_times.h"

namespace redraft {
namespace {

Error system_error() { return Error(std::strerror(errno)); }

// Opens folder by folder, because O_NOFOLLOW applies to the last component only.
Result<FileHandle> open_below(const std::filesystem::path& root, std::string_view path) {
  FileHandle folder = FileHandle::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!folder) return system_error();
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos) {
      return Error("not a path within the folder");
    }
    const bool is_last = slash == std::string_view::npos;
    FileHandle next =
        is_last ? open_file(folder.get(), name, false) : open_folder(folder.get(), name);
    if (!next && errno == ELOOP) return Error("a symbolic link");
    if (!next) return system_error();
    if (is_last) return next;
    folder = std::move(next);
    path.remove_prefix(slash + 1);
  }
}

// The text; nullopt if it changed while it was read.
Result<std::optional<std::string>> read_once(const std::filesystem::path& root,
                                             std::string_view path, std::uint64_t most) {
  const Result<FileHandle> file = open_below(root, path);
  if (!file) return file.error();
  const std::optional<struct stat> before = stat_handle(*file);
  if (!before) return system_error();
  if (!S_ISREG(before->st_mode)) return Error("not a regular file");
  const auto size = static_cast<std::uint64_t>(before->st_size);
  if (size > most) {
    return Error("too large: " + std::to_string(size) + " bytes; the limit is " +
                 std::to_string(most));
  }
  std::optional<std::string> text = read_up_to(*file, size + 1);
  if (!text) return system_error();
  const std::optional<struct stat> after = stat_handle(*file);
  if (!after) return system_error();
  const bool changed = text->size() != size || after->st_size != before->st_size ||
                       modified_at(*after) != modified_at(*before) ||
                       changed_at(*after) != changed_at(*before);
  if (changed) return std::optional<std::string>();
  return text;
}

}  // namespace

Result<std::string> read_source(const std::filesystem::path& root, std::string_view path,
                                std::uint64_t most) {
  constexpr int kTries = 2;
  for (int i = 0; i < kTries; ++i) {
    Result<std::optional<std::string>> text = read_once(root, path, most);
    if (!text) return text.error().in(path);
    if (!*text) continue;
    if (const std::optional<SkipReason> reason = unwanted_text(path, **text, true)) {
      return Error(std::string(to_text(*reason))).in(path);
    }
    return std::move(**text);
  }
  return Error("it keeps changing while it is read").in(path);
}

}  // namespace redraft
