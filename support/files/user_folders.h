#pragma once

#include <filesystem>
#include <optional>

namespace redraft {

// The user's folders of the XDG base directory specification; nullopt if neither the variable nor
// HOME is an absolute path. They need not exist.
//
// With `sudo -E` they belong to another user. Files written there would belong to root and get in
// that user's way later. So in that case root has no cache and no state folder.
std::optional<std::filesystem::path> user_cache_folder();
std::optional<std::filesystem::path> user_config_folder();
std::optional<std::filesystem::path> user_data_folder();
std::optional<std::filesystem::path> user_state_folder();
// HOME itself, under the same condition.
std::optional<std::filesystem::path> user_home_folder();

// Whether this process runs as root and `folder`, or its nearest existing parent, belongs to
// another user.
bool belongs_to_another(const std::filesystem::path& folder);

}  // namespace redraft
