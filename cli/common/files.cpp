#include "cli/common/files.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include "support/system/replace_text.h"
#include "support/system_error.h"

namespace redraft::cli {

namespace fs = std::filesystem;

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
  return replace_text(place, file.string(), expected, text);
}

}  // namespace redraft::cli
