#include "cli/common/identity.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "support/system/processes.h"

namespace redraft::cli {

namespace {

// Size and time of a file; for a missing file, the values that the system returns.
std::string identity_of(const std::filesystem::path& file) {
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(file, problem);
  const auto time = std::filesystem::last_write_time(file, problem).time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return "-" + std::to_string(bytes) + "-" + std::to_string(seconds);
}

}  // namespace

std::string program_identity() {
  return REDRAFT_VERSION + identity_of(executable()) + identity_of(transformer_library());
}

std::filesystem::path transformer_library() {
  constexpr const char* kName = "libredraft-transformer.so";
  const std::filesystem::path folder = executable().parent_path();
  if (folder.empty()) return {};  // a relative path would refer to the working directory
  std::error_code problem;
  if (std::filesystem::exists(folder / kName, problem)) return folder / kName;
  return folder.parent_path() / "lib" / "redraft" / kName;
}

std::string stable_hash(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

}  // namespace redraft::cli
