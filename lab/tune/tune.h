#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Adds `tune` to `app`, which sets `chosen` if the command line names one of its commands.
void add_tune(CLI::App& app, Command& chosen);

// Each adds one subcommand to `redraft tune`.
void add_tune_data(CLI::App& tune, Command& chosen);
void add_tune_eval(CLI::App& tune, Command& chosen);
void add_tune_head(CLI::App& tune, Command& chosen);
void add_tune_record(CLI::App& tune, Command& chosen);
void add_tune_run(CLI::App& tune, Command& chosen);

}  // namespace redraft::cli
