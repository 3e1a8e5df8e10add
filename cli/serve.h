#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Like the functions in command.h.
void add_serve(CommandLine app, Command& chosen);

}  // namespace redraft::cli
