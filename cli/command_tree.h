#pragma once

#include <string>
#include <vector>

#include "cli/common/command_line.h"

namespace redraft::cli {

// The commands and their options as the parser knows them, for shell completions and the manual
// page. Leaves out what the help hides.
struct OptionEntry {
  std::vector<std::string> names;    // "-i", "--instruction"; for a positional only its name
  std::string value;                 // its type, such as TEXT or "INT in [1 - 9]"; empty for a flag
  std::vector<std::string> choices;  // the only words that it accepts; empty if it accepts others
  std::string description;
  std::string default_value;
  std::string environment;  // the environment variable that sets it
  std::string group;        // the heading in the help
  bool required = false;
  bool repeats = false;
};
struct CommandEntry {
  std::vector<std::string> path;  // "redraft", "models", "pull"
  std::string description;
  std::vector<OptionEntry> positionals;
  std::vector<OptionEntry> options;
  std::vector<CommandEntry> commands;

  std::string name() const;  // "redraft models pull"
};

CommandEntry command_tree(const CommandLine& app);

// `root` and all commands below it, in the order of the help.
std::vector<const CommandEntry*> all_commands(const CommandEntry& root);

}  // namespace redraft::cli
