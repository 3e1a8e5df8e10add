#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Each adds one of the laboratory's commands to `app`, which sets `chosen` if the command line
// names it.
void add_bench(CLI::App& app, Command& chosen);
void add_score(CLI::App& app, Command& chosen);
void add_tune(CLI::App& app, Command& chosen);

}  // namespace redraft::cli
