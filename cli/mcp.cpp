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
#include "cli/shared_server.h"
#include "decoding/model/model_store.h"
#include "lsp/host/attach.h"
#include "mcp/session.h"
#include "mcp/tools/edit_by_instruction.h"
#include "mcp/tools/edit_file.h"
#include "mcp/tools/file_writer.h"
#include "mcp/tools/find_consequences.h"
#include "mcp/tools/language_server.h"
#include "mcp/tools/rename_symbol.h"
#include "mcp/tools/worker_tasks.h"
#include "support/confine/confinement.h"
#include "support/files/user_folders.h"
#include "support/log/log.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

// How long a shared server waits for another client.
constexpr int kIdleSeconds = 30;

constexpr const char* kInstructions =
    "redraft edits files in the user's project. edit_file finds where your changed code belongs, "
    "so you need not quote old lines exactly. When it cannot tell, it writes nothing and says "
    "what the file has there; send a better change then. rename_symbol renames a function, type, "
    "member or variable in all files, by scope, without touching other things of that name.";

struct McpOptions {
  ServerChoices server{
      .common = {}, .cache_mib = EngineOptions().cache_bytes >> 20, .checks_models = true};
  std::vector<std::string> roots;
  bool no_model = false;
  bool no_confinement = false;
  std::string server_socket;  // of a running server; for tests
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

// The server that editors with the same options share. Null: the model is not there, or no server
// starts; then the tools that need it are not offered.
std::shared_ptr<mcp::LanguageServer> join(const McpOptions& options) {
  const CommonOptions& common = options.server.common;
  const bool has_model = !common.remote.empty() || locate_model(common.target);
  if (options.no_model || (options.server_socket.empty() && !has_model)) return nullptr;
  Result<lsp::JoinedServer> joined =
      options.server_socket.empty() ? lsp::join_server(shared_server(options.server, kIdleSeconds))
                                    : lsp::join_server_at(options.server_socket);
  if (!joined) {
    logging::warn("there are no tools with a model: {}", joined.error().message());
    return nullptr;
  }
  return std::make_shared<mcp::LanguageServer>(std::move(joined->client),
                                               std::move(joined->connection));
}

int run_mcp(const McpOptions& options) {
  if (const Result<void> applied = apply(options.server.common); !applied)
    return fail(applied.error());
  const Result<mcp::RootChoice> roots = root_choice(options);
  if (!roots) return fail(roots.error());
  ::signal(SIGPIPE, SIG_IGN);
  const auto worker = std::make_shared<mcp::Worker>(mcp::answer_request);
  if (const Result<void> started = worker->start(); !started) return fail(started.error());
  const std::shared_ptr<mcp::LanguageServer> server = join(options);
  mcp::ignore_children();  // after the start of a server, which waits for a child
  if (!options.no_confinement) confine_front(*roots);
  const auto writer = std::make_shared<mcp::FileWriter>();
  std::vector<mcp::Tool> tools = {mcp::edit_file_tool(worker, writer),
                                  mcp::rename_symbol_tool(worker, writer)};
  if (server) {
    tools.push_back(mcp::edit_by_instruction_tool(server, writer));
    tools.push_back(mcp::find_consequences_tool(server, writer));
  }
  mcp::Session session(STDIN_FILENO, STDOUT_FILENO,
                       {.version = REDRAFT_VERSION, .instructions = kInstructions, .roots = *roots},
                       std::move(tools));
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
  command.add_flag("--no-model", options->no_model,
                   "Offer only the tools that need no model, and start no server");
  command.add_option("--server-socket", options->server_socket).group("");
  command.add_flag("--no-confinement", options->no_confinement,
                   "Keep the rights to start programs and to open network connections");
  add_server_options(command, options->server.common);
  add_own_model_options(command, options->server.common);
  add_remote_options(command, options->server.common);
  command.callback([&chosen, options] { chosen = [options] { return run_mcp(*options); }; });
}

}  // namespace redraft::cli
