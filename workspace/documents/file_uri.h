#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace redraft {

// The absolute path that a `file:` URI denotes; nullopt for another scheme, another host, or a
// malformed URI.
std::optional<std::filesystem::path> path_of_uri(std::string_view uri);

// The reverse, for an absolute path.
std::string uri_of_path(const std::filesystem::path& path);

// Whether `uri` is the file `of` or, if `of` is a folder, lies in it. One file may have several
// URIs.
bool is_within(std::string_view uri, std::string_view of);

}  // namespace redraft
