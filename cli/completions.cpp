#include "cli/completions.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace redraft::cli {
namespace {

// A list of candidates only has room for the first sentence.
std::string summary_of(const std::string& description) {
  return description.substr(0, description.find(". "));
}

// In single quotes for bash and zsh.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Fish recognizes escapes in single quotes.
std::string in_fish_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return out + "'";
}

// With a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// The words at this place that are not options: commands, or a positional's values.
std::vector<std::string> words_of(const CommandEntry& command) {
  std::vector<std::string> words;
  for (const CommandEntry& each : command.commands) words.push_back(each.path.back());
  for (const OptionEntry& each : command.positionals)
    words.insert(words.end(), each.choices.begin(), each.choices.end());
  return words;
}

// `'redraft edit --format'|'redraft edit -f'`: patterns of a shell's `case`.
std::string patterns(const CommandEntry& command, const OptionEntry& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.names)
    all.push_back(in_quotes(command.name() + " " + name));
  return joined(all, "|");
}

// The `case` lines that list the values of an option; without words, a file name is completed.
std::string bash_values(const CommandEntry& root) {
  std::string lines;
  for (const CommandEntry* command : all_commands(root)) {
    for (const OptionEntry& option : command->options) {
      if (option.value.empty()) continue;
      lines += "    " + patterns(*command, option) +
               ") words=" + in_quotes(joined(option.choices)) + " is_value=1 ;;\n";
    }
  }
  return lines;
}

std::string bash_words(const CommandEntry& root) {
  std::string lines;
  for (const CommandEntry* command : all_commands(root)) {
    std::vector<std::string> options;
    for (const OptionEntry& each : command->options)
      options.insert(options.end(), each.names.begin(), each.names.end());
    lines += "    " + in_quotes(command->name()) + ") options=" + in_quotes(joined(options)) +
             " others=" + in_quotes(joined(words_of(*command))) + " ;;\n";
  }
  return lines;
}

std::string all_names(const CommandEntry& root, std::string_view between) {
  std::vector<std::string> names;
  for (const CommandEntry* command : all_commands(root))
    names.push_back(in_quotes(command->name()));
  return joined(names, between);
}

}  // namespace

std::string bash_completions(const CommandEntry& root) {
  return R"(# Completes the command line of redraft in bash; made by `redraft completions bash`.
_redraft() {
  local command=redraft word=${COMP_WORDS[COMP_CWORD]} i words= options= others= is_value=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
    )" + all_names(root, "|") +
         R"() command="$command ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command ${COMP_WORDS[COMP_CWORD - 1]}" in
)" + bash_values(root) +
         R"(  esac
  case $command in
)" + bash_words(root) +
         R"(  esac
  if [ -z "$is_value" ]; then
    if [[ $word == -* ]]; then words=$options; else words=$others; fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
# Where nothing of that fits, a file.
complete -o bashdefault -o default -F _redraft redraft
)";
}

namespace {

std::string zsh_function(const CommandEntry& command) { return "_" + joined(command.path, "_"); }

// The value of an option or a positional in the form of _arguments: ":TEXT:_files".
std::string zsh_value(const OptionEntry& option) {
  const std::string name =
      escaped(option.value.empty() ? option.names.front() : option.value, ":\\");
  return ":" + name + ":" +
         (option.choices.empty() ? "_files" : "(" + joined(option.choices) + ")");
}

std::string zsh_option(const OptionEntry& option) {
  const std::string rest = "[" + escaped(summary_of(option.description), "[]\\:") + "]" +
                           (option.value.empty() ? "" : zsh_value(option));
  const std::string names = joined(option.names);
  std::string lines;
  for (const std::string& name : option.names) {
    const std::string excluded = option.repeats ? "*" : "(" + names + ")";
    lines += "    " + in_quotes(excluded + name + rest) + " \\\n";
  }
  return lines;
}

std::string zsh_commands(const CommandEntry& command) {
  std::string text = "  local -a commands=(\n";
  std::string cases;
  for (const CommandEntry& each : command.commands) {
    const std::string& name = each.path.back();
    text += "    " + in_quotes(name + ":" + escaped(summary_of(each.description), ":\\")) + "\n";
    cases += "      " + name + ") " + zsh_function(each) + " ;;\n";
  }
  return text + "  )\n  case $state in\n    command) _describe -t commands command commands ;;\n" +
         "    rest) case $words[1] in\n" + cases + "    esac ;;\n  esac\n";
}

std::string zsh_definition(const CommandEntry& command) {
  std::string text = zsh_function(command) + "() {\n  local context state state_descr line\n" +
                     "  typeset -A opt_args\n  _arguments -C \\\n";
  for (const OptionEntry& each : command.options) text += zsh_option(each);
  if (!command.commands.empty())
    return text + "    '1:command:->command' '*::argument:->rest'\n" + zsh_commands(command) +
           "}\n";
  int place = 1;
  for (const OptionEntry& each : command.positionals) {
    const std::string at = each.repeats ? "*" : std::to_string(place++);
    text += "    " +
            in_quotes(at + ":" + escaped(each.names.front(), ":\\") + ":" +
                      (each.choices.empty() ? "_files" : "(" + joined(each.choices) + ")")) +
            " \\\n";
  }
  return text + "    && return\n}\n";
}

}  // namespace

std::string zsh_completions(const CommandEntry& root) {
  std::string text =
      "#compdef redraft\n"
      "# Completes the command line of redraft in zsh; made by `redraft completions zsh`.\n";
  for (const CommandEntry* command : all_commands(root)) text += zsh_definition(*command);
  return text +
         R"(if [ "$funcstack[1]" = _redraft ]; then _redraft "$@"; else compdef _redraft redraft; fi
)";
}

std::string fish_completions(const CommandEntry& root) {
  std::string text =
      R"(# Completes the command line of redraft in fish; made by `redraft completions fish`.
function __redraft_at --description 'Whether the command line is at this command of redraft'
    set -l command redraft
    for word in (commandline -opc)[2..-1]
        contains -- "$command $word" )" +
      all_names(root, " ") + R"(
        and set command "$command $word"
    end
    test "$command" = "$argv"
end
)";
  for (const CommandEntry* command : all_commands(root)) {
    const std::string at =
        "complete -c redraft -n " + in_fish_quotes("__redraft_at " + command->name());
    if (!command->commands.empty()) text += at + " -f\n";
    for (const CommandEntry& each : command->commands)
      text += at + " -a " + each.path.back() + " -d " +
              in_fish_quotes(summary_of(each.description)) + "\n";
    for (const OptionEntry& each : command->positionals) {
      if (!each.choices.empty())
        text += at + " -f -a " + in_fish_quotes(joined(each.choices)) + "\n";
    }
    for (const OptionEntry& each : command->options) {
      text += at;
      for (const std::string& name : each.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!each.value.empty())
        text += each.choices.empty() ? " -r -F" : " -x -a " + in_fish_quotes(joined(each.choices));
      text += " -d " + in_fish_quotes(summary_of(each.description)) + "\n";
    }
  }
  return text;
}

}  // namespace redraft::cli
