#include "cli/common/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>

#include "support/files/whole_file.h"
#include "support/system_error.h"

namespace redraft::cli {
namespace {
bool take_mode_of(const struct stat& status, int descriptor) {
  // Setting another owner is not always permitted; setting the mode is.
  [[maybe_unused]] const int ignored = fchown(descriptor, status.st_uid, status.st_gid);
  return fchmod(descriptor, status.st_mode & 07777) == 0;
}

}  // namespace

std::string read_standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

Result<std::string> read_file(const std::filesystem::path& file) {
  std::error_code problem;
  if (std::filesystem::is_directory(file, problem))
    return Error(file.string() + ": is a directory");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return file_error(file, "cannot be read");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) return file_error(file, "cannot be read");
  return text;
}

Result<void> replace_file(const std::filesystem::path& file, std::string_view expected,
                          std::string_view text) {
  std::error_code problem;
  const std::filesystem::path place = std::filesystem::canonical(file, problem);
  if (problem) return Error(file.string() + ": not written: " + problem.message());
  struct stat status = {};
  if (stat(place.c_str(), &status) != 0) return file_error(file, "not written");
  if (access(place.c_str(), W_OK) != 0) return file_error(file, "not written");
  NewFile written(place);
  if (!written.is_open() || !written.write(std::as_bytes(std::span(text))) ||
      !take_mode_of(status, written.descriptor())) {
    return file_error(file, "not written");
  }
  // As late as possible: what another program wrote meanwhile matters more than this edit.
  const Result<std::string> current = read_file(place);
  if (!current) return current.error();
  if (*current != expected)
    return Error(file.string() + ": not written: the file has changed on disk meanwhile");
  if (!written.rename_to(place)) return file_error(file, "not written");
  return {};
}

}  // namespace redraft::cli
