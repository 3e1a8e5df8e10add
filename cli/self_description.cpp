// redraft completions and redraft manual: files that are installed with the program, generated from
// its commands. Hidden, because packaging calls them, not users.
#include "cli/self_description.h"

#include <iostream>

#include "cli/build_info.h"
#include "cli/common/misuse_reason.h"
#include "cli/completions.h"
#include "cli/manual_page.h"

namespace redraft::cli {
namespace {

using Completions = std::string(const CommandEntry&);
enum class Shell { kBash, kZsh, kFish };

Completions* completions_of(Shell shell) {
  if (shell == Shell::kBash) return bash_completions;
  return shell == Shell::kZsh ? zsh_completions : fish_completions;
}

int print(const std::string& text) {
  std::cout << text;
  return kSuccess;
}

}  // namespace

void add_self_description(CommandLine app, Command& chosen) {
  const CommandLine completions =
      app.add_subcommand("completions", "Print a script that completes command lines").hide();
  const auto shell = std::make_shared<Shell>();
  completions.add_option("SHELL", *shell, "For which shell")
      .required()
      .transform(
          one_of<Shell>({{"bash", Shell::kBash}, {"zsh", Shell::kZsh}, {"fish", Shell::kFish}}));
  completions.callback([app, &chosen, shell] {
    chosen = [app, shell] { return print(completions_of(*shell)(command_tree(app))); };
  });
  const CommandLine manual = app.add_subcommand("manual", "Print the manual page").hide();
  manual.callback([app, &chosen] {
    chosen = [app] { return print(manual_page(command_tree(app), "redraft " REDRAFT_VERSION)); };
  });
}

}  // namespace redraft::cli
