#pragma once

#include "cli/common/command.h"
#include "cli/common/command_line.h"

namespace redraft::cli {

// Adds the hidden commands `completions` and `manual`, which describe all commands of `app`.
void add_self_description(CommandLine app, Command& chosen);

}  // namespace redraft::cli
