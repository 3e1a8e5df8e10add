#pragma once

#include <CLI/CLI.hpp>

#include "cli/common/command.h"

namespace redraft::cli {

// Adds the hidden commands `completions` and `manual`, which describe all commands of `app`.
void add_self_description(CLI::App& app, Command& chosen);

}  // namespace redraft::cli
