#pragma once

#include <string>

namespace redraft::cli {

// This build of redraft, known by its version, its size and the time it was made.
std::string program_identity();

// Sixteen hexadecimal digits, the same for a text in every process: std::hash promises no such
// thing.
std::string stable_hash(const std::string& text);

}  // namespace redraft::cli
