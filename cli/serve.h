#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Like the functions in command.h.
void add_serve(CLI::App& app, Command& chosen);

}  // namespace redraft::cli
