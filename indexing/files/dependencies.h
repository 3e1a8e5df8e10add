#pragma once

#include <filesystem>
#include <span>
#include <stop_token>
#include <vector>

namespace redraft {

// The folders of installed packages in a workspace, whatever its ignore files say: node_modules, a
// virtual environment's site-packages, and vendor folders that Go, Cargo, Composer or Bundler
// filled. Looks a few levels deep and follows no symbolic link. Sorted by name; none is within
// another.
std::vector<std::filesystem::path> dependency_folders(std::span<const std::filesystem::path> roots,
                                                      const std::stop_token& stop = {});

}  // namespace redraft
