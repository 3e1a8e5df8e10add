#pragma once

#include <filesystem>
#include <optional>

namespace redraft {

// The user's folders of the XDG base directory specification; none if neither the variable nor HOME
// is an absolute path. They need not exist.
std::optional<std::filesystem::path> user_cache_folder();
std::optional<std::filesystem::path> user_config_folder();
std::optional<std::filesystem::path> user_data_folder();
std::optional<std::filesystem::path> user_state_folder();
// HOME itself, under the same condition.
std::optional<std::filesystem::path> user_home_folder();

}  // namespace redraft
