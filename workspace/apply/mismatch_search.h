#pragma once

#include <string>

#include "workspace/apply/change_mismatch.h"
#include "workspace/apply/change_text.h"
#include "workspace/apply/file_lines.h"

namespace redraft {

// What the file has in the place of a hunk, or of a snippet, that was not placed for this reason.
// `part`: from 1.
Mismatch mismatch_of(const FileLines& file, const Replaced& hunk, int part, std::string reason);
Mismatch mismatch_of(const FileLines& file, const CodeSnippet& snippet, int part,
                     std::string reason);

}  // namespace redraft
