#pragma once

#include <filesystem>

#include "support/result.h"

namespace redraft {

// Makes the folder and those above it, as far as they are missing, for this user alone (0700).
Result<void> make_folders(const std::filesystem::path& folder);

// The same. An error: the folder is another user's, or others may look into it.
Result<void> make_private_folder(const std::filesystem::path& folder);

// redraft's own for sockets and the like: in $XDG_RUNTIME_DIR, or else `run` in its cache folder.
Result<std::filesystem::path> private_runtime_folder();

}  // namespace redraft
