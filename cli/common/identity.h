#pragma once

#include <filesystem>
#include <string>

namespace redraft::cli {

// Identifies this build of redraft by its version, its size and its modification time.
std::string program_identity();

// Sixteen hexadecimal digits, the same for a text in every process, which std::hash does not
// promise.
std::string stable_hash(const std::string& text);

// The part of the program that needs libtorch, where it is a library: beside the program where that
// was built, in lib/redraft where it is installed. It need not exist.
std::filesystem::path transformer_library();

}  // namespace redraft::cli
