#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace redraft::cli {

// The commands and their options as the parser knows them, for what is written from them: the
// completions of shells and the manual page. What is hidden from the help is left out.
struct OptionEntry {
  std::vector<std::string> names;    // "-i", "--instruction"; of a positional its name alone
  std::string value;                 // what it takes, such as TEXT or "INT in [1 - 9]"; a flag: ""
  std::vector<std::string> choices;  // the only words that it takes; none: others
  std::string description;
  std::string default_value;
  std::string environment;  // the variable that has its place
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

CommandEntry command_tree(const CLI::App& app);

// `root` and all below it, in the order of the help.
std::vector<const CommandEntry*> all_commands(const CommandEntry& root);

}  // namespace redraft::cli
