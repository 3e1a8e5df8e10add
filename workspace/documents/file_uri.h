#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace redraft {

// The absolute path that a `file:` URI stands for; none for another scheme, another host, or what
// is no URI.
std::optional<std::filesystem::path> path_of_uri(std::string_view uri);

// Whether a file is the other, or in it if that is a folder. The same file may be written in more
// ways than one.
bool is_within(std::string_view uri, std::string_view of);

}  // namespace redraft
