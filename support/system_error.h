#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

// The system's reason for the failure of the last call, from errno: "what: No such file".
inline Error system_error(std::string_view what) {
  const int reason = errno;  // before anything else can change it
  return Error(std::string(what) + ": " + std::strerror(reason));
}

// The same for a file: "file: No such file", or with `what`, "file: cannot be written: No such
// file".
inline Error file_error(const std::filesystem::path& file, std::string_view what = {}) {
  const int reason = errno;
  std::string text = file.string();
  if (!what.empty()) text.append(": ").append(what);
  return Error(text + ": " + std::strerror(reason));
}

}  // namespace redraft
