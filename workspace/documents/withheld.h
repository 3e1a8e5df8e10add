#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "indexing/files/skip_reason.h"
#include "workspace/documents/document.h"

namespace redraft {

// Which open documents must not be shown for other documents.
//
// Why. An editor has files open that the walk of a workspace would skip: a `.env`, a private key,
// generated code. The walk skips them by name or by content (forbidden_name() and unwanted_text()
// of indexing/files/file_kind), so that no secret reaches a prompt or a draft for another file.
// Open documents must not be a way around that, so the same functions judge them. OpenDocuments
// calls this; its callers do not have to.
//
// An example, in a workspace with the folder /home/ann/app:
//
//   file:///home/ann/app/.env             withheld by name
//   git:/home/ann/app/.env?HEAD           too: an old version of it, in an editor's diff view
//   untitled:.env                         too: not saved yet
//   file:///home/ann/app/notes.md         by content, as long as it contains a private key
//   file:///home/ann/app/main.cpp         may be shown

// Judges the name in any URI or path. Within one of the workspace's `folders`, only the names below
// that folder count; outside of all of them, every name of the path.
std::optional<SkipReason> withheld_by_name(std::string_view uri,
                                           std::span<const std::filesystem::path> folders);
// Judges the content.
std::optional<SkipReason> withheld_by_text(const Document& document);

}  // namespace redraft
