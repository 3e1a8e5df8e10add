#include "cli/manual_page.h"

#include <set>

namespace redraft::cli {
namespace {

// Escapes a text, so that it contains no request or escape.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";  // otherwise it may be set as a hyphen, which cannot be copied into a shell
    } else if (c == '\n') {
      out += ' ';
    } else {
      out += c;
    }
  }
  const bool is_request = !out.empty() && (out.front() == '.' || out.front() == '\'');
  return is_request ? "\\&" + out : out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string slanted(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string value_of(const OptionEntry& option) {
  if (option.choices.empty()) return slanted(option.value);
  std::string words;
  for (const std::string& word : option.choices) words += (words.empty() ? "" : "|") + bold(word);
  return words;
}

std::string head_of(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
  return names + (option.value.empty() ? "" : " " + value_of(option)) +
         (option.repeats ? " ..." : "");
}

std::string details_of(const OptionEntry& option) {
  std::string text = escaped(option.description);
  if (!option.default_value.empty()) text += " (default: " + escaped(option.default_value) + ")";
  if (!option.environment.empty()) text += ". In the environment: " + bold(option.environment);
  return text;
}

std::string synopsis_of(const CommandEntry& command) {
  std::string text = ".B " + escaped(command.name()) + "\n";
  if (!command.options.empty()) text += "[\\fIOPTION\\fR]...\n";
  if (!command.commands.empty()) text += slanted("COMMAND") + "\n";
  for (const OptionEntry& each : command.positionals) {
    const std::string name = slanted(each.names.front()) + (each.repeats ? "..." : "");
    text += (each.required ? name : "[" + name + "]") + "\n";
  }
  return text;
}

// The options in the order of their headings.
std::string options_of(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& each : command.positionals)
    text += ".TP\n" + slanted(each.names.front()) + "\n" + details_of(each) + "\n";
  std::set<std::string> done;
  for (const OptionEntry& first : command.options) {
    if (!done.insert(first.group).second) continue;
    if (first.group != "Options") text += ".PP\n" + escaped(first.group) + ":\n";
    for (const OptionEntry& each : command.options) {
      if (each.group == first.group)
        text += ".TP\n" + head_of(each) + "\n" + details_of(each) + "\n";
    }
  }
  return text;
}

constexpr const char* kAround = R"(.SH EXIT STATUS
0 for success, 1 for a failure, 2 for a command line that is not understood, 130 if interrupted.
.SH ENVIRONMENT
.TP
.BR XDG_DATA_HOME ", " XDG_CACHE_HOME ", " XDG_STATE_HOME ", " XDG_RUNTIME_DIR
Where models, what can be made again, logs and counts, and sockets are kept, each in a folder
.IR redraft .
.SH FILES
.TP
.I ~/.local/share/redraft/models
The models. Place a file there with
.BR "redraft models add" ,
or fetch one with
.BR "redraft models pull" .
.SH SEE ALSO
.B redraft doctor
says what this machine and this installation can do, and what is missing.
)";

}  // namespace

std::string manual_page(const CommandEntry& root, const std::string& version) {
  std::string text = ".\\\" Made by `redraft manual` from the commands themselves.\n";
  text += ".TH REDRAFT 1 \"\" \"" + escaped(version) + "\" \"User Commands\"\n";
  text += ".SH NAME\nredraft \\- edits code with a local language model\n";
  text += ".SH SYNOPSIS\n" + synopsis_of(root);
  text += ".SH DESCRIPTION\n" + escaped(root.description) + "\n";
  text += ".SH OPTIONS\n" + options_of(root) + ".SH COMMANDS\n";
  for (const CommandEntry* command : all_commands(root)) {
    if (command == &root) continue;
    text += ".SS " + escaped(command->name()) + "\n" + synopsis_of(*command) + ".PP\n" +
            escaped(command->description) + ".\n" + options_of(*command);
  }
  return text + kAround;
}

}  // namespace redraft::cli
