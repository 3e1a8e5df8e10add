// redraft lsp: the language server, for editors.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/identity.h"
#include "cli/common/misuse_reason.h"
#include "cli/common/tracing.h"
#include "cli/server_options.h"
#include "cli/shared_server.h"
#include "lsp/host/attach.h"
#include "lsp/host/server_process.h"
#include "lsp/recording/replay.h"
#include "support/log/log.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {
namespace {

// How long a shared server waits for another client.
constexpr int kIdleSeconds = 30;

struct LspOptions {
  ServerChoices choices{
      .common = {}, .cache_mib = EngineOptions().cache_bytes >> 20, .checks_models = true};
  bool stdio = false;
  bool no_share = false;
  std::string socket;
  std::string attached_socket;
  std::optional<int> port;
  std::string token_file;
  std::optional<int> idle_seconds;
  std::string trace_file;
  std::string record;
  std::string replay;
  lsp::ReplaySpeed speed = lsp::ReplaySpeed::kFast;
  std::vector<std::string> arguments;  // as given

  // Tracing and recording concern one client, so a traced client does not share its server.
  bool alone() const { return no_share || !trace_file.empty() || !record.empty(); }
};

// Nothing if the client is on standard input and output.
std::optional<lsp::ListenOptions> listen_options(const LspOptions& options) {
  using Door = lsp::ListenOptions::Door;
  lsp::ListenOptions listen;
  if (!options.socket.empty()) {
    listen.socket = options.socket;
  } else if (!options.attached_socket.empty()) {
    listen.door = Door::kAttached;
    listen.socket = options.attached_socket;
  } else if (options.port) {
    listen.door = Door::kPort;
    listen.port = *options.port;
    listen.token_file = options.token_file;
  } else {
    return std::nullopt;
  }
  if (options.idle_seconds) listen.idle_limit = std::chrono::seconds(*options.idle_seconds);
  return listen;
}

int run_replay(const LspOptions& options) {
  ServerChoices choices = options.choices;
  // The recording does not contain what is on disk.
  choices.no_kv_cache = true;
  choices.checks_models = false;
  lsp::ServerOptions server = server_options(choices);
  const Result<int> code = lsp::replay(options.replay, options.speed, std::move(server.make_engine),
                                       std::move(server.index), std::cout);
  return code ? *code : fail(code.error());
}

int run_lsp(const LspOptions& options) {
  ServerChoices choices = options.choices;
  // What a check finds is not part of a recording.
  if (!options.record.empty()) choices.checks_models = false;
  if (const Result<void> applied = apply(choices.common); !applied) return fail(applied.error());
  Tracing tracing;
  if (const Result<void> traced = tracing.begin(options.trace_file); !traced)
    return fail(traced.error());
  if (!options.replay.empty()) return run_replay(options);
  if (const auto listen = listen_options(options)) {
    const Result<int> code = lsp::serve_many_clients(server_options(choices), *listen);
    return code ? *code : fail(code.error());
  }
  if (!options.alone()) {
    const auto shared = shared_server(choices, options.idle_seconds.value_or(kIdleSeconds));
    const Result<int> code = lsp::attach(shared, STDIN_FILENO, STDOUT_FILENO);
    if (code) return *code;
    logging::warn("cannot share the model with other editors: {}", code.error().message());
  }
  lsp::ServerOptions server = server_options(choices);
  server.recording = {
      .file = options.record, .build = program_identity(), .arguments = options.arguments};
  return lsp::serve_one_client(std::move(server), STDIN_FILENO, STDOUT_FILENO);
}

void add_inside(CommandLine command, LspOptions& options, const std::vector<Option>& doors) {
  const std::string group = "Seeing inside";
  const Option record =
      command
          .add_option("--record", options.record,
                      "Record all messages of client and server in this new file, for --replay. It "
                      "contains the text of every open file. Implies --no-share")
          .group(group);
  const Option replay =
      command
          .add_option("--replay", options.replay,
                      "Replay the client of a recording against this server and report different "
                      "answers; exit code 0 if there are none, otherwise 1")
          .excludes(record)
          .group(group);
  for (const Option& door : doors) {
    replay.excludes(door);
    if (door.name() != "--stdio") record.excludes(door);
  }
  const std::vector<std::pair<std::string, lsp::ReplaySpeed>> speeds = {
      {"fast", lsp::ReplaySpeed::kFast}, {"recorded", lsp::ReplaySpeed::kRecorded}};
  command
      .add_option(
          "--speed", options.speed,
          "Speed of a replay: fast sends each message once the server has sent what the client "
          "had received by then; recorded also keeps the client's pauses (default: fast)")
      .transform(one_of(speeds))
      .needs(replay)
      .group(group);
  const Option trace = add_trace_option(command, options.trace_file);
  trace.add_description(". Implies --no-share");
}

// Options that say where clients come from; they exclude each other. Returns them.
std::vector<Option> add_doors(CommandLine command, LspOptions& options) {
  const Option stdio = command.add_flag("--stdio", options.stdio,
                                        "One client over standard input and output (the default)");
  const Option socket =
      command.add_option("--socket", options.socket,
                         "Any number of clients over a unix domain socket that is created here");
  const Option port =
      command
          .add_option("--port", options.port,
                      "Any number of clients over this port of the loopback interface, 0 for any "
                      "free one; they need the token")
          .check(in_range(0, 65535));
  // Only for shared servers that this program starts.
  const Option attached = command.add_option(kAttachedOption, options.attached_socket).group("");
  std::vector<Option> doors = {stdio, socket, port, attached};
  for (const Option& door : doors) {
    for (const Option& other : doors) {
      if (other != door) door.excludes(other);
    }
  }
  command
      .add_option("--token-file", options.token_file,
                  "Where --port writes the token (default: in $XDG_RUNTIME_DIR/redraft)")
      .needs(port);
  command
      .add_flag("--no-share", options.no_share,
                "Do not share the model. By default, clients over standard input and output "
                "that have the same options share one background process")
      .envname("REDRAFT_LSP_NO_SHARE");
  command
      .add_option("--idle-seconds", options.idle_seconds,
                  "End after this many seconds without a client (default: 30 for the shared "
                  "process, otherwise never)")
      .check(in_range(0, 1 << 20))
      .envname("REDRAFT_LSP_IDLE_SECONDS");
  return doors;
}

}  // namespace

void add_lsp(CommandLine app, Command& chosen) {
  const CommandLine command =
      app.add_subcommand("lsp", "Serve an editor over the Language Server Protocol");
  const auto options = std::make_shared<LspOptions>();
  const std::vector<Option> doors = add_doors(command, *options);
  command.add_flag("--no-index", options->choices.no_index,
                   "Do not index the workspace's folders to draft from them");
  command.add_option("--common", options->choices.common_folders,
                     "Other folders of code to draft from: absolute, below the home folder "
                     "(~/a), or below the first folder of the workspace");
  command
      .add_option("--cache-memory", options->choices.cache_mib,
                  "MiB of memory to cache the prompts of earlier requests")
      .check(in_range(0, 1 << 20))
      .show_default();
  command.add_flag("--no-kv-cache", options->choices.no_kv_cache,
                   "Do not cache prompts on disk, and do not use cached ones (see `redraft "
                   "cache`)");
  command
      .add_flag("--no-confinement", options->choices.no_confinement,
                "Keep the rights to write outside of redraft's own folders, to start programs "
                "and to open network connections")
      .envname("REDRAFT_LSP_NO_CONFINEMENT");
  add_inside(command, *options, doors);
  add_server_options(command, options->choices.common);
  add_own_model_options(command, options->choices.common);
  add_remote_options(command, options->choices.common);
  command.callback([&chosen, command, options] {
    for (const GivenOption& option : command.given()) {
      options->arguments.push_back(option.name);
      for (const std::string& value : option.values) options->arguments.push_back(value);
    }
    chosen = [options] { return run_lsp(*options); };
  });
}

}  // namespace redraft::cli
