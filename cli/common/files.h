#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft::cli {

// All bytes of standard input.
std::string read_standard_input();
Result<std::string> read_file(const std::filesystem::path& file);

// Replaces a file's content; follows links. If the file no longer contains `expected`, nothing is
// written and the error says so.
//
// The file keeps its mode, owner, access lists, other attributes and hard links. If a new file can
// have all of these, a reader sees either the old or the new text, never a part. Otherwise the file
// is written in place, and the returned text says why; meanwhile a hidden file next to it contains
// the new text. Returns an empty text if the file was replaced.
Result<std::string> replace_file(const std::filesystem::path& file, std::string_view expected,
                                 std::string_view text);

}  // namespace redraft::cli
