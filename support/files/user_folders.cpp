#include "support/files/user_folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace redraft {
namespace {

std::optional<std::filesystem::path> folder(const char* variable, const char* below_home) {
  const char* given = std::getenv(variable);
  if (given && *given == '/') return given;
  if (const auto home = user_home_folder()) return *home / below_home;
  return std::nullopt;
}

std::optional<std::filesystem::path> folder_to_write(const char* variable, const char* below_home) {
  auto found = folder(variable, below_home);
  if (found && belongs_to_another(*found)) return std::nullopt;
  return found;
}

}  // namespace

bool belongs_to_another(const std::filesystem::path& folder) {
  if (::geteuid() != 0) return false;
  for (std::filesystem::path part = folder; !part.empty(); part = part.parent_path()) {
    struct stat found = {};
    if (::stat(part.c_str(), &found) == 0) return found.st_uid != 0;
    if (part == part.parent_path()) break;
  }
  return false;
}

std::optional<std::filesystem::path> user_home_folder() {
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return home;
  return std::nullopt;
}

std::optional<std::filesystem::path> user_cache_folder() {
  return folder_to_write("XDG_CACHE_HOME", ".cache");
}

std::optional<std::filesystem::path> user_config_folder() {
  return folder("XDG_CONFIG_HOME", ".config");
}

std::optional<std::filesystem::path> user_data_folder() {
  return folder("XDG_DATA_HOME", ".local/share");
}

std::optional<std::filesystem::path> user_state_folder() {
  return folder_to_write("XDG_STATE_HOME", ".local/state");
}

}  // namespace redraft
