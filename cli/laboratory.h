#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/common/command.h"
#include "cli/common/command_line.h"

namespace redraft::cli {

// The laboratory, `redraft-lab`, is a second program beside this one: it measures redraft, trains
// draft models, and has the decoders of the papers. `redraft` becomes that program where a line
// asks for it, so that a user need not know which of the two has what. Packages come without it.

bool is_lab_command(std::string_view command);

// Lists the laboratory's commands in the help of `app`.
void add_lab_commands(CommandLine app);

// If the parsed line names one of the laboratory's decoders for a single text (`edit`, `apply`,
// `complete`, `generate`): becomes redraft-lab with the same arguments, or returns an exit code
// because it is not there. Nothing: the line is for this program. Call it while the process has one
// thread and has read nothing.
std::optional<int> hand_over_decoder(const CommandLine& app, char** argv);

// Becomes redraft-lab with the same arguments. Returns only if it is not there: the exit code.
// `wanted` is what the line asks for, for the message.
int become_laboratory(char** argv, const std::string& wanted);

}  // namespace redraft::cli
