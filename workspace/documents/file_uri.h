#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace redraft {

// The absolute path that a `file:` URI stands for; none for another scheme, another host, or what
// is no URI.
std::optional<std::filesystem::path> path_of_uri(std::string_view uri);

}  // namespace redraft
