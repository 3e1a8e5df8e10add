#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft::cli {

// All bytes of standard input.
std::string read_standard_input();
Result<std::string> read_file(const std::filesystem::path& file);

// Replaces a file's content and follows links. If the file does not contain `expected` any more,
// nothing is written and the error says so.
//
// The file keeps its mode, owner, access lists and other attributes, and its other names (hard
// links). Where a new file can have all of that, a reader sees the old or the new text, never a
// part. Where it cannot, the file is written in place, and the text returned says why; the new text
// is in a hidden file next to it until that is done. Empty: it was replaced.
Result<std::string> replace_file(const std::filesystem::path& file, std::string_view expected,
                                 std::string_view text);

}  // namespace redraft::cli
