#include "cli/common/identity.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "support/system/processes.h"

namespace redraft::cli {

std::string program_identity() {
  std::error_code problem;
  const std::filesystem::path program = executable();
  const auto bytes = std::filesystem::file_size(program, problem);
  const auto time = std::filesystem::last_write_time(program, problem).time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return REDRAFT_VERSION "-" + std::to_string(bytes) + "-" + std::to_string(seconds);
}

std::string stable_hash(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return hex;
}

}  // namespace redraft::cli
