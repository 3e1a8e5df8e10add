#pragma once

#include <string>

#include "cli/command_tree.h"

namespace redraft::cli {

// Scripts that complete a command line, generated from the commands. They start no program.
std::string bash_completions(const CommandEntry& root);
std::string zsh_completions(const CommandEntry& root);
std::string fish_completions(const CommandEntry& root);

}  // namespace redraft::cli
