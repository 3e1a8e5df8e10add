#include "support/files/user_folders.h"

#include <cstdlib>

namespace redraft {
namespace {

std::optional<std::filesystem::path> folder(const char* variable, const char* below_home) {
  const char* given = std::getenv(variable);
  if (given && *given == '/') return given;
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return std::filesystem::path(home) / below_home;
  return std::nullopt;
}

}  // namespace

std::optional<std::filesystem::path> user_cache_folder() {
  return folder("XDG_CACHE_HOME", ".cache");
}

std::optional<std::filesystem::path> user_config_folder() {
  return folder("XDG_CONFIG_HOME", ".config");
}

std::optional<std::filesystem::path> user_state_folder() {
  return folder("XDG_STATE_HOME", ".local/state");
}

}  // namespace redraft
