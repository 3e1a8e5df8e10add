#include "support/files/user_folders.h"

#include <cstdlib>

namespace redraft {
namespace {

std::optional<std::filesystem::path> folder(const char* variable, const char* below_home) {
  const char* given = std::getenv(variable);
  if (given && *given == '/') return given;
  if (const auto home = user_home_folder()) return *home / below_home;
  return std::nullopt;
}

}  // namespace

std::optional<std::filesystem::path> user_home_folder() {
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return home;
  return std::nullopt;
}

std::optional<std::filesystem::path> user_cache_folder() {
  return folder("XDG_CACHE_HOME", ".cache");
}

std::optional<std::filesystem::path> user_config_folder() {
  return folder("XDG_CONFIG_HOME", ".config");
}

std::optional<std::filesystem::path> user_data_folder() {
  return folder("XDG_DATA_HOME", ".local/share");
}

std::optional<std::filesystem::path> user_state_folder() {
  return folder("XDG_STATE_HOME", ".local/state");
}

}  // namespace redraft
