#include "cli/common/misuse_reason.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>

#include "text/strings/nearest_word.h"

namespace redraft::cli {
namespace {

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty(); }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_word(word, candidates);
  return nearest.empty() ? std::string() : "; did you mean " + nearest + "?";
}

std::string full_name(const CLI::App& app) {
  const CLI::App* above = app.get_parent();
  return above == nullptr ? app.get_name() : full_name(*above) + " " + app.get_name();
}

// Walks over the words like the parser, as far as needed to classify each of them.
class Reader {
 public:
  Reader(CLI::App& app, const std::vector<std::string>& args) : app_(&app), args_(args) {}

  // Empty if every word is known.
  std::string first_unknown() {
    while (at_ < args_.size() && args_[at_] != "--") {
      const std::string& word = args_[at_++];
      std::string reason =
          word.size() > 1 && word.starts_with("-") ? read_option(word) : read_word(word);
      if (!reason.empty()) return reason;
    }
    return {};
  }

 private:
  std::string read_option(const std::string& word) {
    const std::string name =
        word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
    const CLI::Option* option = app_->get_option_no_throw(name);
    if (option == nullptr) {
      return "`" + full_name(*app_) + "` has no option " + name +
             did_you_mean(name, options_of(*app_));
    }
    if (name == word) skip_values(*option);
    return {};
  }

  void skip_values(const CLI::Option& option) {
    for (int i = 0; i < option.get_items_expected_min(); ++i) ++at_;
    while (option.get_items_expected_max() > option.get_items_expected_min() &&
           at_ < args_.size() && !args_[at_].starts_with("-"))
      ++at_;
  }

  std::string read_word(const std::string& word) {
    const std::vector<std::string> commands = commands_of(*app_);
    if (commands.empty()) return {};
    if (std::ranges::find(commands, word) != commands.end()) {
      app_ = app_->get_subcommand(word);
      return {};
    }
    return "`" + full_name(*app_) + "` has no command " + word + did_you_mean(word, commands);
  }

  CLI::App* app_;
  const std::vector<std::string>& args_;
  std::size_t at_ = 0;
};

}  // namespace

std::string listed(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

std::string none_of(std::string_view word, const std::vector<std::string>& candidates) {
  return "'" + std::string(word) + "' is not one of " + listed(candidates) +
         did_you_mean(word, candidates);
}

std::string misuse_reason(CLI::App& app, const std::vector<std::string>& args,
                          const CLI::ParseError& error) {
  const std::string unknown = Reader(app, args).first_unknown();
  return unknown.empty() ? error.what() : unknown;
}

}  // namespace redraft::cli
