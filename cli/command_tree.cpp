#include "cli/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace redraft::cli {
namespace {

bool is_choice(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// CLI11 only shows a validator's words in the type name: "TEXT:cpu, cuda".
std::vector<std::string> choices_of(std::string_view type) {
  std::vector<std::string> words;
  const std::size_t colon = type.find(':');
  if (colon == std::string_view::npos) return words;
  for (std::string_view rest = type.substr(colon + 1); !rest.empty();) {
    const std::size_t comma = std::min(rest.find(", "), rest.size());
    words.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  return words.size() > 1 && std::ranges::all_of(words, is_choice) ? words
                                                                   : std::vector<std::string>();
}

std::string value_of(const CLI::Option& option, bool has_choices) {
  if (option.get_items_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  if (has_choices || colon == std::string::npos) return type.substr(0, colon);
  return type.substr(colon + 1);
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry;
  if (option.get_positional()) {
    entry.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) entry.choices = choices_of(option.get_type_name());
  entry.value = value_of(option, !entry.choices.empty());
  entry.description = option.get_description();
  entry.default_value = option.get_default_str();
  entry.environment = option.get_envname();
  entry.group = option.get_group();
  entry.required = option.get_required();
  entry.repeats = option.get_expected_max() > 1;
  return entry;
}

// The options of `app` itself and of its exclusive groups, which CLI11 represents as commands
// without a name.
void add_options(const CLI::App& app, CommandEntry& entry) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? entry.positionals : entry.options).push_back(entry_of(*option));
  }
  for (const CLI::App* group :
       app.get_subcommands([](const CLI::App* each) { return each->get_name().empty(); }))
    add_options(*group, entry);
}

CommandEntry entry_of(const CLI::App& app, std::vector<std::string> path) {
  CommandEntry entry;
  path.push_back(app.get_name());
  entry.path = path;
  entry.description = app.get_description();
  add_options(app, entry);
  const auto is_shown = [](const CLI::App* each) {
    return !each->get_name().empty() && !each->get_group().empty();
  };
  for (const CLI::App* command : app.get_subcommands(is_shown))
    entry.commands.push_back(entry_of(*command, path));
  return entry;
}

void collect(const CommandEntry& command, std::vector<const CommandEntry*>& all) {
  all.push_back(&command);
  for (const CommandEntry& each : command.commands) collect(each, all);
}

}  // namespace

std::string CommandEntry::name() const {
  std::string text;
  for (const std::string& word : path) text += (text.empty() ? "" : " ") + word;
  return text;
}

CommandEntry command_tree(const CommandLine& root) { return entry_of(root.app(), {}); }

std::vector<const CommandEntry*> all_commands(const CommandEntry& root) {
  std::vector<const CommandEntry*> all;
  collect(root, all);
  return all;
}

}  // namespace redraft::cli
