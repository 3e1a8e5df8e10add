#pragma once

#include <filesystem>
#include <string>

#include "support/result.h"

namespace redraft {

// The SHA-256 of a file's bytes in lower-case hex.
Result<std::string> sha256_of_file(const std::filesystem::path& file);

}  // namespace redraft
