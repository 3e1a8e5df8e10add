#pragma once

#include <string>

namespace redraft::cli {

// Identifies this build of redraft by its version, its size and its modification time.
std::string program_identity();

// Sixteen hexadecimal digits, the same for a text in every process, which std::hash does not
// promise.
std::string stable_hash(const std::string& text);

}  // namespace redraft::cli
