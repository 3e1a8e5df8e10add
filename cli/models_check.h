#pragma once

#include "cli/common/command.h"

namespace redraft::cli {

// Adds `check` to `redraft models`: whether a model is loaded as its makers meant it.
void add_models_check(CommandLine models, Command& chosen);

}  // namespace redraft::cli
