#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "indexing/files/skip_reason.h"
#include "workspace/documents/document.h"

namespace redraft {

// An editor has files open that the walk of a workspace would not read: a `.env`, a key, what a
// program wrote. What the walk refuses by name or by what stands there (forbidden_name() and
// unwanted_text() of indexing/file_kind) is withheld from everything that is done for other
// documents, open or not. OpenDocuments asks here, and nobody else has to.

// By its name, of any URI or path. `folders` are the workspace's: within one of them the names from
// there on count, outside of all of them every name of the path.
std::optional<SkipReason> withheld_by_name(std::string_view uri,
                                           std::span<const std::filesystem::path> folders);
// By what stands in it.
std::optional<SkipReason> withheld_by_text(const Document& document);

}  // namespace redraft
