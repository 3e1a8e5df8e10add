#pragma once

#include <filesystem>
#include <span>
#include <stop_token>
#include <vector>

namespace redraft {

// Where the packages lie that are installed in a workspace, whatever its ignore files say:
// node_modules, a virtual environment's site-packages, vendor folders that Go, Cargo, Composer or
// Bundler filled. Looks a few levels deep, follows no symbolic link, and none of the folders it
// returns is within another. In the order of their names.
std::vector<std::filesystem::path> dependency_folders(std::span<const std::filesystem::path> roots,
                                                      const std::stop_token& stop = {});

}  // namespace redraft
