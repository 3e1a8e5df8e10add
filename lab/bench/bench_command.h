#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Adds `bench` to `app`, which sets `chosen` if the command line names one of its benches.
void add_bench(CommandLine app, Command& chosen);

}  // namespace redraft::cli
