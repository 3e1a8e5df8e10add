#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/command_line.h"

namespace redraft::cli {

// A command line of redraft: the commands that `redraft` and `redraft-lab` share, and what each of
// the two adds.
struct Program {
  // Adds the program's own commands to the shared ones.
  std::function<void(CommandLine app, Command& chosen)> add_commands;
  // Called with the parsed line before its command runs: an exit code ends the program. May be
  // empty.
  std::function<std::optional<int>(const CommandLine& app)> before = {};
};

// Parses the line, runs its command and returns the exit code. Reports exceptions as errors.
int run_program(int argc, char** argv, const Program& program);

}  // namespace redraft::cli
