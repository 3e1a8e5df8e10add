#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
class Validator;
}  // namespace CLI

// The parser of command lines (CLI11), of which these are handles: cheap to copy, valid as long as
// the program's own parser. CLI11 takes six seconds to compile in each file that includes it, so
// only those that walk over a whole parser do.
namespace redraft::cli {

// Decides whether a word of the command line is accepted.
class WordCheck {
 public:
  // `check` returns why the word is rejected, or nothing; as a transformation, it may replace the
  // word. `shown` stands in the help.
  WordCheck(std::function<std::string(std::string&)> check, std::string shown);
  const CLI::Validator& validator() const { return *validator_; }

 private:
  friend WordCheck in_range(int least, int most);
  friend WordCheck in_range(std::int64_t least, std::int64_t most);
  friend WordCheck in_range(double least, double most);
  explicit WordCheck(CLI::Validator validator);

  std::shared_ptr<const CLI::Validator> validator_;
};

WordCheck in_range(int least, int most);
WordCheck in_range(std::int64_t least, std::int64_t most);
WordCheck in_range(double least, double most);

// For an option whose value is one of these words.
WordCheck any_of(const std::vector<std::string>& words);
// For an option whose values have names, as a transformation. Its help lists them in the order of
// `names`; an unknown value is answered with the nearest name.
WordCheck one_of_numbers(std::vector<std::pair<std::string, int>> names);
template <typename Enum>
WordCheck one_of(const std::vector<std::pair<std::string, Enum>>& names) {
  std::vector<std::pair<std::string, int>> numbers;
  for (const auto& [name, value] : names) numbers.emplace_back(name, static_cast<int>(value));
  return one_of_numbers(std::move(numbers));
}

// An option, a flag or a positional argument. Each setter returns the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option check(const WordCheck& check) const;
  Option transform(const WordCheck& change) const;
  Option required() const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  Option group(const std::string& heading) const;  // in the help; empty hides the option
  Option envname(const std::string& variable) const;
  Option delimiter(char separator) const;
  Option type_name(const std::string& name) const;
  Option expected(int count) const;  // how many values
  // The help shows the value that the variable has now, or `text`.
  Option show_default() const;
  Option show_default(const std::string& text) const;
  Option each(const std::function<void(std::string)>& on_value) const;
  Option add_description(std::string_view more) const;
  std::string name() const;  // the longest, "--format"

  friend bool operator==(const Option&, const Option&) = default;

 private:
  CLI::Option* option_;
};

// What a parsed line gives an option.
struct GivenOption {
  std::string name;
  std::vector<std::string> values;
  bool is_flag = false;
  char delimiter = '\0';  // between the values of one word; none: each value is a word
};

template <typename Type>
concept Enumeration = std::is_enum_v<Type>;

// A command with its options and its commands.
class CommandLine {
 public:
  explicit CommandLine(CLI::App* app) : app_(app) {}
  CLI::App& app() const { return *app_; }

  // `names` is "-s,--long" or the name of a positional. The variable has to live as long as the
  // parser.
  Option add_flag(const std::string& names, bool& value, const std::string& help = {}) const;
  // For the types that command_line.cpp lists: texts, numbers, lists of them, and optional ones.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& help = {}) const;
  // For one that a one_of() transforms.
  template <Enumeration Enum>
  Option add_option(const std::string& names, Enum& value, const std::string& help) const {
    return add_choice(
        names, [&value](int number) { value = static_cast<Enum>(number); }, help);
  }
  template <Enumeration Enum>
  Option add_option(const std::string& names, std::optional<Enum>& value,
                    const std::string& help) const {
    return add_choice(
        names, [&value](int number) { value = static_cast<Enum>(number); }, help);
  }
  // Takes what passes the checks.
  Option add_parsed(const std::string& names, const std::function<void(const std::string&)>& take,
                    const std::string& help) const;
  // Options of which the line has to have exactly one.
  CommandLine add_alternatives(const std::string& name) const;

  CommandLine add_subcommand(const std::string& name, const std::string& description) const;
  CommandLine hide() const;                    // from the help
  void footer(const std::string& text) const;  // below the help
  void require_subcommand() const;             // exactly one
  void callback(std::function<void()> parsed) const;

  Option option(const std::string& name) const;
  std::string name() const;
  // What the parsed line has.
  bool is_given(const std::string& name) const;
  std::vector<GivenOption> given() const;  // in the order in which they were added
  // The commands that the line names, below this one.
  std::vector<CommandLine> parsed_commands() const;

 private:
  Option add_choice(const std::string& names, const std::function<void(int)>& choose,
                    const std::string& help) const;

  CLI::App* app_;
};

}  // namespace redraft::cli
