#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Each adds one subcommand to `redraft tune`.
void add_tune_data(CLI::App& tune, Command& chosen);
void add_tune_eval(CLI::App& tune, Command& chosen);
void add_tune_head(CLI::App& tune, Command& chosen);
void add_tune_record(CLI::App& tune, Command& chosen);
void add_tune_run(CLI::App& tune, Command& chosen);

}  // namespace redraft::cli
