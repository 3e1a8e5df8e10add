#pragma once

#include <string>

#include "cli/command_tree.h"

namespace redraft::cli {

// The manual page redraft(1), in the macros `man`.
std::string manual_page(const CommandEntry& root, const std::string& version);

}  // namespace redraft::cli
