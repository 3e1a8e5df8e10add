#pragma once

#include <filesystem>
#include <optional>

namespace redraft {

// The user's folders of the XDG base directory specification; none if neither the variable nor HOME
// is an absolute path. They need not exist.
//
// With `sudo -E` they are another user's. What is written there would belong to root, and would be
// in that user's way later: so root has no cache and no state folder then.
std::optional<std::filesystem::path> user_cache_folder();
std::optional<std::filesystem::path> user_config_folder();
std::optional<std::filesystem::path> user_data_folder();
std::optional<std::filesystem::path> user_state_folder();
// HOME itself, under the same condition.
std::optional<std::filesystem::path> user_home_folder();

// Whether this process is root's and `folder`, or what there is of the way to it, another user's.
bool belongs_to_another(const std::filesystem::path& folder);

}  // namespace redraft
