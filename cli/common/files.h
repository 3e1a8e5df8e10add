#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft::cli {

// All bytes of standard input.
std::string read_standard_input();
Result<std::string> read_file(const std::filesystem::path& file);

// Replaces a file's content atomically: a reader sees the old or the new text, never a part. Keeps
// the file's mode and follows links. If the file does not contain `expected` any more, nothing is
// written and the error says so.
Result<void> replace_file(const std::filesystem::path& file, std::string_view expected,
                          std::string_view text);

}  // namespace redraft::cli
