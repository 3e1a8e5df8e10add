#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Adds `score` to `app`, which sets `chosen` if the command line names it.
void add_score(CommandLine app, Command& chosen);

}  // namespace redraft::cli
