#include "cli/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace redraft::cli {
namespace {

Error system_error(const std::filesystem::path& file, std::string_view what) {
  return Error(file.string() + ": " + std::string(what) + ": " + std::strerror(errno));
}

// A temporary file that disappears unless it has been renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& beside)
      : path_((beside.parent_path() / ("." + beside.filename().string() + ".XXXXXX")).string()),
        descriptor_(mkostemp(path_.data(), O_CLOEXEC)) {}
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (!renamed_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // False, with errno set, when something fails.
  bool write_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = write(descriptor_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  bool take_mode_of(const struct stat& status) {
    // Another owner cannot always be given; the mode can.
    [[maybe_unused]] const int ignored = fchown(descriptor_, status.st_uid, status.st_gid);
    return fchmod(descriptor_, status.st_mode & 07777) == 0;
  }
  bool rename_to(const std::filesystem::path& file) {
    renamed_ = fsync(descriptor_) == 0 && rename(path_.c_str(), file.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string path_;
  int descriptor_;
  bool renamed_ = false;
};

}  // namespace

std::string read_standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

Result<std::string> read_file(const std::filesystem::path& file) {
  std::error_code problem;
  if (std::filesystem::is_directory(file, problem))
    return Error(file.string() + ": is a directory");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return system_error(file, "cannot be read");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return system_error(file, "cannot be read");
  return text;
}

Result<void> write_file(const std::filesystem::path& file, std::string_view text) {
  TemporaryFile temporary(file);
  if (!temporary.is_open() || !temporary.write_all(text) || !temporary.rename_to(file)) {
    return system_error(file, "not written");
  }
  return {};
}

Result<void> replace_file(const std::filesystem::path& file, std::string_view expected,
                          std::string_view text) {
  std::error_code problem;
  const std::filesystem::path place = std::filesystem::canonical(file, problem);
  if (problem) return Error(file.string() + ": not written: " + problem.message());
  struct stat status = {};
  if (stat(place.c_str(), &status) != 0) return system_error(file, "not written");
  if (access(place.c_str(), W_OK) != 0) return system_error(file, "not written");
  TemporaryFile temporary(place);
  if (!temporary.is_open() || !temporary.write_all(text) || !temporary.take_mode_of(status)) {
    return system_error(file, "not written");
  }
  // As late as can be: what another program wrote meanwhile is worth more than this edit.
  const Result<std::string> current = read_file(place);
  if (!current) return current.error();
  if (*current != expected)
    return Error(file.string() + ": not written: the file has changed on disk meanwhile");
  if (!temporary.rename_to(place)) return system_error(file, "not written");
  return {};
}

}  // namespace redraft::cli
