#pragma once

#include <optional>
#include <string_view>

#include "indexing/files/skip_reason.h"

namespace redraft {

// Decisions by name. A path is relative to its root, with slashes; case does not matter.

// Why a file or folder of this name is never a source of the workspace, whatever its ignore files
// say: version control's own folders, and likely secrets.
std::optional<SkipReason> forbidden_name(std::string_view path, bool is_folder);
// The same for names that an ignore file may include again: installed dependencies and caches, lock
// files, bundles and minified files.
std::optional<SkipReason> unwanted_name(std::string_view path, bool is_folder);

// Decisions by content: a secret (secret_text.h), binary, not UTF-8, minified or generated. `text`
// is the file or, if not `complete`, its beginning.
std::optional<SkipReason> unwanted_text(std::string_view path, std::string_view text,
                                        bool complete);

}  // namespace redraft
