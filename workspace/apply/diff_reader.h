#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workspace/apply/change_blocks.h"
#include "workspace/apply/change_text.h"

namespace redraft {

// Whether the block is a diff: of git or diff, with or without numbers. `is_prose`: the lines of a
// list begin as those of a diff do, so more is required.
bool is_diff(const ChangeBlock& block, bool is_prose);

// The hunks of a diff or of a patch of Codex, with the files that it states. Lines that are not
// part of a hunk are skipped: the head of a mail, its signature, prose.
std::vector<Replaced> read_diff(const ChangeLines& lines, const ChangedFile& file);

// The lines of the patches of Codex in a text: from "*** Begin Patch" to "*** End Patch". Empty: it
// has none.
ChangeLines codex_patches(const ChangeLines& lines);

}  // namespace redraft
