#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Adds `tune` to `app`, which sets `chosen` if the command line names one of its commands.
void add_tune(CommandLine app, Command& chosen);

// Each adds one subcommand to `redraft tune`.
void add_tune_data(CommandLine tune, Command& chosen);
void add_tune_eval(CommandLine tune, Command& chosen);
void add_tune_head(CommandLine tune, Command& chosen);
void add_tune_record(CommandLine tune, Command& chosen);
void add_tune_run(CommandLine tune, Command& chosen);

}  // namespace redraft::cli
