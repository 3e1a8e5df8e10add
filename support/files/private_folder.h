#pragma once

#include <filesystem>

#include "support/result.h"

namespace redraft {

// Creates the folder and its missing parents, accessible only to this user (0700).
Result<void> make_folders(const std::filesystem::path& folder);

// The same, but fails if the folder belongs to another user or others have access to it.
Result<void> make_private_folder(const std::filesystem::path& folder);

// redraft's own folder for sockets and the like, in $XDG_RUNTIME_DIR. If that cannot be created,
// others have access to it, or its name is too long for sockets: `run` in redraft's cache folder.
Result<std::filesystem::path> private_runtime_folder();

}  // namespace redraft
