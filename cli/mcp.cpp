// redraft mcp: tools that edit files, for agents.
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/misuse_reason.h"
#include "mcp/session.h"
#include "mcp/tools/edit_file.h"
#include "mcp/tools/rename_symbol.h"
#include "mcp/tools/worker_tasks.h"
#include "support/confine/confinement.h"
#include "support/files/user_folders.h"
#include "support/log/log.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstructions =
    "redraft edits files in the user's project. edit_file finds where your changed code belongs, "
    "so you need not quote old lines exactly. When it cannot tell, it writes nothing and says "
    "what the file has there; send a better change then. rename_symbol renames a function, type, "
    "member or variable in all files, by scope, without touching other things of that name.";

struct McpOptions {
  std::vector<std::string> roots;
  bool no_confinement = false;
  std::string log_level = "warning";
};

// A program that was started without a project is often in one of these, and nobody means to allow
// edits in all of their files.
bool is_no_project(const fs::path& folder) {
  const std::optional<fs::path> home = user_home_folder();
  std::error_code unknown;
  return folder == "/" || (home && fs::equivalent(folder, *home, unknown));
}

Result<mcp::RootChoice> root_choice(const McpOptions& options) {
  mcp::RootChoice choice;
  for (const std::string& root : options.roots) {
    std::error_code problem;
    if (!fs::is_directory(root, problem)) return Error("--root " + root + ": no such folder");
    choice.fixed.emplace_back(root);
  }
  std::error_code problem;
  fs::path here = fs::current_path(problem);
  if (!problem && !is_no_project(here)) choice.working_directory = std::move(here);
  return choice;
}

// The folders may change, unless they are given; secrets and paths are checked for each file.
void confine_front(const mcp::RootChoice& roots) {
  const std::vector<fs::path> everywhere = {"/"};
  const Confinement confined =
      confine({.writable = roots.fixed.empty() ? everywhere : roots.fixed, .attributes = true});
  logging::info("this process {}", confined.description());
}

int run_mcp(const McpOptions& options) {
  logging::set_level(options.log_level);
  const Result<mcp::RootChoice> roots = root_choice(options);
  if (!roots) return fail(roots.error());
  ::signal(SIGPIPE, SIG_IGN);
  mcp::ignore_children();
  const auto worker = std::make_shared<mcp::Worker>(mcp::answer_request);
  if (const Result<void> started = worker->start(); !started) return fail(started.error());
  if (!options.no_confinement) confine_front(*roots);
  mcp::Session session(STDIN_FILENO, STDOUT_FILENO,
                       {.version = REDRAFT_VERSION, .instructions = kInstructions, .roots = *roots},
                       {mcp::edit_file_tool(worker), mcp::rename_symbol_tool(worker)});
  session.run();
  return kSuccess;
}

}  // namespace

void add_mcp(CommandLine app, Command& chosen) {
  const CommandLine command = app.add_subcommand(
      "mcp", "Serve an agent over the Model Context Protocol: tools that edit files");
  const auto options = std::make_shared<McpOptions>();
  command.add_option("--root", options->roots,
                     "A folder in which the agent may edit files, instead of those that it names "
                     "itself or, if it names none, the working directory");
  command.add_flag("--no-confinement", options->no_confinement,
                   "Keep the rights to start programs and to open network connections");
  command.add_option("--log-level", options->log_level, "Which messages are logged to stderr")
      .check(any_of({"trace", "debug", "info", "warning", "error", "off"}))
      .show_default();
  command.callback([&chosen, options] { chosen = [options] { return run_mcp(*options); }; });
}

}  // namespace redraft::cli
