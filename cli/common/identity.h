#pragma once

#include <filesystem>
#include <string>

namespace redraft::cli {

// Identifies this build of redraft by its version, its size and its modification time.
std::string program_identity();

// Sixteen hexadecimal digits. Unlike std::hash, the result is the same in every process.
std::string stable_hash(const std::string& text);

// The library with the part that needs libtorch: next to the program in a build folder, in
// lib/redraft in an installation. It may not exist.
std::filesystem::path transformer_library();

}  // namespace redraft::cli
