#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

// Replaces the text of the file `place`, which is no link. If the file no longer contains
// `expected`, nothing is written and the error says so. `shown` is the file's name in messages.
//
// The file keeps its mode, owner, access lists, other attributes and hard links. If a new file can
// have all of these, a reader sees either the old or the new text, never a part. Otherwise the file
// is written in place, and the returned text says why; meanwhile a hidden file next to it contains
// the new text. Returns an empty text if the file was replaced.
Result<std::string> replace_text(const std::filesystem::path& place, const std::string& shown,
                                 std::string_view expected, std::string_view text);

}  // namespace redraft
