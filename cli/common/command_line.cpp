#include "cli/common/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>

#include "cli/common/misuse_reason.h"

namespace redraft::cli {

WordCheck::WordCheck(std::function<std::string(std::string&)> check, std::string shown)
    : WordCheck(CLI::Validator(std::move(check), std::move(shown))) {}

WordCheck::WordCheck(CLI::Validator validator)
    : validator_(std::make_shared<const CLI::Validator>(std::move(validator))) {}

WordCheck in_range(int least, int most) { return WordCheck(CLI::Range(least, most)); }
WordCheck in_range(std::int64_t least, std::int64_t most) {
  return WordCheck(CLI::Range(least, most));
}
WordCheck in_range(double least, double most) { return WordCheck(CLI::Range(least, most)); }

WordCheck any_of(const std::vector<std::string>& words) {
  return {[words](const std::string& word) {
            return std::ranges::find(words, word) == words.end() ? none_of(word, words)
                                                                 : std::string();
          },
          listed(words)};
}

WordCheck one_of_numbers(std::vector<std::pair<std::string, int>> names) {
  std::vector<std::string> words;
  for (const auto& [name, value] : names) words.push_back(name);
  const std::string shown = listed(words);
  const auto change = [names = std::move(names),
                       words = std::move(words)](std::string& word) -> std::string {
    for (const auto& [name, value] : names) {
      if (name != word) continue;
      word = std::to_string(value);
      return {};
    }
    return none_of(word, words);
  };
  return {change, shown};
}

Option Option::check(const WordCheck& check) const {
  option_->check(check.validator());
  return *this;
}

Option Option::transform(const WordCheck& change) const {
  option_->transform(change.validator());
  return *this;
}

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::group(const std::string& heading) const {
  option_->group(heading);
  return *this;
}

Option Option::envname(const std::string& variable) const {
  option_->envname(variable);
  return *this;
}

Option Option::delimiter(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::expected(int count) const {
  option_->expected(count);
  return *this;
}

Option Option::show_default() const {
  option_->capture_default_str();
  return *this;
}

Option Option::show_default(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

Option Option::each(const std::function<void(std::string)>& on_value) const {
  option_->each(on_value);
  return *this;
}

Option Option::add_description(std::string_view more) const {
  option_->description(option_->get_description() + std::string(more));
  return *this;
}

std::string Option::name() const { return option_->get_name(); }

Option CommandLine::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(app_->add_flag(names, value, help));
}

template <typename Value>
Option CommandLine::add_option(const std::string& names, Value& value,
                               const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

template Option CommandLine::add_option(const std::string&, std::string&, const std::string&) const;
template Option CommandLine::add_option(const std::string&, int&, const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::int64_t&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::uint32_t&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::uint64_t&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, float&, const std::string&) const;
template Option CommandLine::add_option(const std::string&, double&, const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::vector<std::string>&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::vector<int>&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::vector<double>&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::optional<std::string>&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::optional<int>&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::optional<double>&,
                                        const std::string&) const;
template Option CommandLine::add_option(const std::string&, std::optional<std::uint64_t>&,
                                        const std::string&) const;

Option CommandLine::add_choice(const std::string& names, const std::function<void(int)>& choose,
                               const std::string& help) const {
  return Option(app_->add_option_function<int>(names, choose, help)->type_name("ENUM"));
}

Option CommandLine::add_parsed(const std::string& names,
                               const std::function<void(const std::string&)>& take,
                               const std::string& help) const {
  return Option(app_->add_option_function<std::string>(names, take, help));
}

CommandLine CommandLine::add_alternatives(const std::string& name) const {
  CLI::Option_group* group = app_->add_option_group(name);
  group->require_option(1);
  return CommandLine(group);
}

CommandLine CommandLine::add_subcommand(const std::string& name,
                                        const std::string& description) const {
  return CommandLine(app_->add_subcommand(name, description));
}

CommandLine CommandLine::hide() const {
  app_->group("");
  return *this;
}

void CommandLine::footer(const std::string& text) const { app_->footer(text); }

void CommandLine::require_subcommand() const { app_->require_subcommand(1); }

void CommandLine::callback(std::function<void()> parsed) const {
  app_->callback(std::move(parsed));
}

Option CommandLine::option(const std::string& name) const { return Option(app_->get_option(name)); }

std::string CommandLine::name() const { return app_->get_name(); }

bool CommandLine::is_given(const std::string& name) const { return app_->count(name) > 0; }

std::vector<GivenOption> CommandLine::given() const {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() == 0) continue;
    given.push_back({.name = option->get_name(),
                     .values = option->results(),
                     .is_flag = option->get_expected_max() == 0,
                     .delimiter = option->get_delimiter()});
  }
  return given;
}

std::vector<CommandLine> CommandLine::parsed_commands() const {
  std::vector<CommandLine> commands;
  for (CLI::App* command : app_->get_subcommands()) commands.emplace_back(command);
  return commands;
}

}  // namespace redraft::cli
