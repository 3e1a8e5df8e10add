// redraft_scripted_server SCRIPT.json [--log-level LEVEL] [--index]: the real language server over
// standard input and output, with its model replaced by a script. For tests of the server and of
// editors: no weights, always the same answers. Its other options are those of `redraft lsp`,
// except that a server is shared only with --share.
//
// SCRIPT.json:
//   {"edits": [{"instruction": "rename", "find": "old_name", "replace": "new_name"}],
//    "fills": [{"after": "x = ", "write": "1\n"}],
//    "thoughts": "",            written before each edit: a thought with its tags
//    "opens_thought": false,    the chat template opens a thought: "thoughts" only ends it
//    "certainty": 0.9,                 how likely the model says each token of an edit is
//    "doubts": [{"after": "x = ", "probability": 0.3}],   how likely the model says the next
//                               character of a completion is; elsewhere it is nearly certain
//    "answers": [{"after": "What", "write": "That."}],   to all that is no completion; then
//                               there are no edits (answer_script.h)
//    "delay_ms_per_pass": 20,   every forward pass takes this long (default 0)
//    "pass_cost": 1,            a machine on which each pass costs so much more
//    "hold": {"before": "x", "file": "FILE"},   while FILE exists, an edit's answer stops before
//                               the first "x" in it (empty: before all of it)
//    "hold_fills": "FILE",      while FILE exists, completions and answers write nothing
//    "context_length": 131072,  tokens
//    "title": "",               what its files would call the model, which tells its formats
//    "draft": true,             there is a draft model, which carries out the same script
//    "failing_pass": 3,         this forward pass fails, later ones do not (default 0: none)
//    "load_delay_ms": 0,        loading the model takes this long
//    "hold_load": "FILE",       while FILE exists, loading goes on
//    "memory": 0,               bytes that the model is said to take (default: not known)
//    "completion_model": {},    another script: of a model beside it that writes completions
//    "next_edit_model": {},     likewise next edits
//    "load_error": "",          loading the model fails with this message
//    "attempts": {"workspace": DIR, "home": DIR},   loading the model does what only a process that
//                               was taken over would, and the log has what came of it
//    "record": ""}              a file for everything that the model is shown: prompts and drafts
//
// An edit applies to the code in the prompt (the file or the selected lines, with "\n" line
// endings). Every entry whose "instruction" is contained in the user's instruction (absent or
// empty: in any) replaces each occurrence of "find" by "replace"; an empty "find" inserts "replace"
// at the beginning. Entries apply in order. An instruction to which no entry applies leaves the
// code unchanged. A completion writes "write" after the first "after" that precedes the cursor, or
// continues it if its beginning is there too; with an empty "after" it applies anywhere.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "http/serve.h"
#include "indexing/files/dependencies.h"
#include "lsp/host/attach.h"
#include "lsp/host/server_process.h"
#include "lsp/recording/replay.h"
#include "support/confine/confinement.h"
#include "support/log/log.h"
#include "support/system/processes.h"
#include "support/trace/trace.h"
#include "tests/kit/edit_script.h"
#include "tests/kit/outside_attempts.h"

namespace {

redraft::EditScript read_script(const nlohmann::json& json) {
  redraft::EditScript script;
  for (const nlohmann::json& edit : json.value("edits", nlohmann::json::array())) {
    script.edits.push_back({edit.value("instruction", ""), edit.at("find"), edit.at("replace")});
  }
  for (const nlohmann::json& fill : json.value("fills", nlohmann::json::array()))
    script.fills.fills.push_back({fill.at("after"), fill.at("write")});
  script.thoughts = json.value("thoughts", "");
  script.opens_thought = json.value("opens_thought", false);
  script.certainty = json.value("certainty", script.certainty);
  for (const nlohmann::json& doubt : json.value("doubts", nlohmann::json::array()))
    script.fills.doubts.push_back({doubt.at("after"), doubt.at("probability")});
  for (const nlohmann::json& answer : json.value("answers", nlohmann::json::array()))
    script.answers.fills.push_back({answer.at("after"), answer.at("write")});
  script.delay_per_pass = std::chrono::milliseconds(json.value("delay_ms_per_pass", 0));
  script.pass_cost = json.value("pass_cost", 1.0);
  if (json.contains("hold"))
    script.hold = {json["hold"].at("before"), std::string(json["hold"].at("file"))};
  script.failing_pass = json.value("failing_pass", 0);
  script.load_delay = std::chrono::milliseconds(json.value("load_delay_ms", 0));
  script.load_error = json.value("load_error", "");
  script.hold_load = json.value("hold_load", "");
  script.memory = json.value("memory", std::uint64_t{0});
  script.record = json.value("record", "");
  script.hold_fills = json.value("hold_fills", "");
  script.context_length = json.value("context_length", script.context_length);
  script.title = json.value("title", "");
  script.draft = json.value("draft", false);
  return script;
}

// What a script says that does not concern the model.
struct ServerScript {
  redraft::EditScript edits;
  std::optional<redraft::EditScript> completions = {}, next_edits = {};  // of models of their own
  std::optional<std::pair<std::string, std::string>> attempts = {};      // a workspace, a home
};

ServerScript read_server_script(const std::string& file) {
  std::ifstream in(file);
  const nlohmann::json json = nlohmann::json::parse(in);
  ServerScript script{.edits = read_script(json), .attempts = {}};
  if (json.contains("completion_model")) script.completions = read_script(json["completion_model"]);
  if (json.contains("next_edit_model")) script.next_edits = read_script(json["next_edit_model"]);
  if (json.contains("attempts")) {
    const nlohmann::json& attempts = json["attempts"];
    script.attempts.emplace(attempts.at("workspace"), attempts.at("home"));
  }
  return script;
}

void attempt(const std::pair<std::string, std::string>& places) {
  for (const auto& [name, outcome] :
       redraft::attempt_outside(places.first, places.second, ::getppid()))
    redraft::logging::info("attempt {}: {}", name, outcome);
  redraft::logging::info("attempts: all made");
}

redraft::EngineHost::Factory engine_factory(const ServerScript& given) {
  const redraft::EditScript& script = given.edits;
  const auto make = [script, attempts = given.attempts](const redraft::LoadControl& control) {
    if (attempts) attempt(*attempts);
    while (std::filesystem::exists(script.hold_load) && !control.stop.stop_requested()) {
      control.progress(0.5);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return redraft::as_engine(redraft::make_scripted_engine(script));
  };
  redraft::EngineHost::Factory factory = {make, script.draft,
                                          [memory = script.memory] { return memory; }};
  const auto add = [&](redraft::Purpose purpose, const std::optional<redraft::EditScript>& own) {
    if (!own) return;
    factory.own[purpose] = std::make_shared<const redraft::EngineHost::Factory>(
        [own = *own](const redraft::LoadControl&) {
          return redraft::as_engine(redraft::make_scripted_engine(own));
        },
        own->draft, [memory = own->memory] { return memory; });
  };
  add(redraft::Purpose::kCompletion, given.completions);
  add(redraft::Purpose::kNextEdit, given.next_edits);
  return factory;
}

redraft::lsp::Instant time_in(const std::string& file) {
  double seconds = 0;
  std::ifstream(file) >> seconds;
  return redraft::lsp::Instant(std::chrono::milliseconds(std::llround(seconds * 1000)));
}

redraft::ConfinementOptions confinement_for(const ServerScript& script) {
  redraft::ConfinementOptions allowed;
  for (const std::filesystem::path& file : {std::filesystem::path(script.edits.record),
                                            script.edits.hold.file}) {  // ".held" is beside it
    if (!file.empty()) allowed.writable.push_back(std::filesystem::absolute(file).parent_path());
  }
  return allowed;
}

redraft::lsp::Server::IndexFactories index_factories() {
  using Folders = redraft::lsp::Server::Folders;
  const auto of = [](const Folders& folders, const redraft::IndexOptions& index_options) {
    return [folders, index_options](
               std::string&) -> redraft::Result<std::unique_ptr<redraft::WorkspaceIndex>> {
      return std::make_unique<redraft::WorkspaceIndex>(folders, redraft::fill_tokenizer(),
                                                       std::make_unique<redraft::TextStore>(),
                                                       index_options);
    };
  };
  redraft::lsp::Server::IndexFactories index;
  index.of_workspace = [of](const Folders& folders) { return of(folders, {}); };
  index.of_common_code = [of](const Folders& workspace, bool dependencies, Folders others) {
    if (dependencies) {
      for (const auto& folder : redraft::dependency_folders(workspace)) others.push_back(folder);
    }
    return of(others, {.scan = {.dependencies = true}});
  };
  return index;
}

// Where clients come from.
struct Doors {
  std::string socket, attached_socket, token_file;
  std::optional<int> port, http;
  std::optional<int> http_milliseconds;
  bool needs_token = true;
  bool editors = false;
  bool share = false;
  int idle_seconds = 30;

  void add_to(CLI::App& app) {
    app.add_option("--socket", socket);
    app.add_option("--port", port);
    app.add_option("--http", http);
    app.add_option("--http-milliseconds", http_milliseconds, "That any step of a client may take");
    app.add_flag("!--no-token", needs_token);
    app.add_flag("--editors", editors);
    app.add_option("--token-file", token_file);
    app.add_option("--idle-seconds", idle_seconds);
    app.add_option("--attached-socket", attached_socket);
    app.add_flag("--share", share);
  }
  std::optional<redraft::lsp::ListenOptions> listen() const {
    using Door = redraft::lsp::ListenOptions::Door;
    if (socket.empty() && attached_socket.empty() && !port) return std::nullopt;
    return redraft::lsp::ListenOptions{.door = port                      ? Door::kPort
                                               : attached_socket.empty() ? Door::kSocket
                                                                         : Door::kAttached,
                                       .socket = socket + attached_socket,
                                       .port = port.value_or(0),
                                       .token_file = token_file,
                                       .idle_limit = std::chrono::seconds(idle_seconds)};
  }
  redraft::http::ServeOptions serve(const redraft::lsp::AttachOptions& shared) const {
    redraft::http::ServeOptions serve{
        .port = *http, .token_file = token_file, .needs_token = needs_token};
    serve.http.model = "scripted";
    if (editors) serve.editors = *redraft::lsp::attach_socket(shared.key);
    if (http_milliseconds) {
      const std::chrono::milliseconds limit(*http_milliseconds);
      serve.http.limits = {
          .head = limit, .idle = limit, .body = limit, .write = limit, .drain = limit};
    }
    return serve;
  }
  // How to attach to a shared server; it starts this program in the background.
  redraft::lsp::AttachOptions attach(const std::string& script, const std::string& level,
                                     const std::string& usage_file) const {
    std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe"),
                                        script,
                                        "--log-level",
                                        level,
                                        "--idle-seconds",
                                        std::to_string(idle_seconds)};
    if (!usage_file.empty()) command.insert(command.end(), {"--usage-file", usage_file});
    command.push_back("--attached-socket");
    return {.key = std::to_string(std::hash<std::string>()(script + redraft::namespaces())),
            .command = command};
  }
};

// See `redraft lsp --help`.
struct Inside {
  std::string record, replay, trace_file;
  bool as_recorded = false;

  void add_to(CLI::App& app) {
    app.add_option("--record", record);
    app.add_option("--replay", replay);
    app.add_option("--trace-file", trace_file);
    app.add_option_function<std::string>(
        "--speed", [this](const std::string& speed) { as_recorded = speed == "recorded"; });
  }
};

int play(redraft::lsp::ServerOptions options, const Inside& inside) {
  using Speed = redraft::lsp::ReplaySpeed;
  redraft::logging::to_stderr();
  redraft::logging::set_level(options.log_level);
  const redraft::Result<int> code =
      redraft::lsp::replay(inside.replay, inside.as_recorded ? Speed::kRecorded : Speed::kFast,
                           std::move(options.make_engine), std::move(options.index), std::cout);
  if (code) return *code;
  std::cerr << "redraft_scripted_server: error: " << code.error().message() << "\n";
  return 1;
}

int code_of(const redraft::Result<int>& code) {
  if (code) return *code;
  std::cerr << "redraft_scripted_server: error: " << code.error().message() << "\n";
  return 1;
}

int serve(redraft::lsp::ServerOptions options, const Doors& doors, const std::string& script) {
  const redraft::lsp::AttachOptions shared =
      doors.attach(script, options.log_level, options.usage_file);
  if (doors.http) return code_of(redraft::http::serve(std::move(options), doors.serve(shared)));
  if (const auto listen = doors.listen()) {
    return code_of(redraft::lsp::serve_many_clients(std::move(options), *listen));
  }
  if (doors.share) {
    const redraft::Result<int> code = redraft::lsp::attach(shared, STDIN_FILENO, STDOUT_FILENO);
    if (code) return *code;
    std::cerr << "cannot share the model: " << code.error().message() << std::endl;
  }
  return redraft::lsp::serve_one_client(std::move(options), STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The redraft language server with a scripted model");
  std::string file;
  redraft::lsp::ServerOptions options;
  app.add_option("script", file, "a JSON file: see the source")
      ->required()
      ->check(CLI::ExistingFile);
  bool index = false;
  app.add_flag("--index", index, "Index the workspace's folders, in memory");
  std::vector<std::string> common;
  app.add_option("--common", common, "Other folders, see `redraft lsp`");
  app.add_option("--usage-file", options.usage_file, "Where suggestions are counted");
  app.add_option("--crash-notes", options.crash_notes, "Where faults are noted");
  app.add_option("--log-level", options.log_level, "as of redraft lsp");
  std::string clock;
  app.add_option("--clock", clock,
                 "A file with the seconds since the start, as far as what is suggested depends on "
                 "the time");
  Doors doors;
  doors.add_to(app);
  bool confined = true;
  app.add_flag("!--no-confinement", confined, "See `redraft lsp`");
  Inside inside;
  inside.add_to(app);
  CLI11_PARSE(app, argc, argv);
  try {
    const ServerScript script = read_server_script(file);
    options.make_engine = engine_factory(script);
    if (confined) options.confinement = confinement_for(script);
  } catch (const std::exception& failure) {
    std::cerr << "redraft_scripted_server: error: " << file << ": " << failure.what() << "\n";
    return 1;
  }
  if (index) options.index = index_factories();
  if (!clock.empty()) options.now = [clock] { return time_in(clock); };
  options.index.common_folders = common;
  options.exit_limit = std::chrono::milliseconds(500);
  options.recording = {.file = inside.record, .arguments = {argv + 1, argv + argc}};
  if (!inside.trace_file.empty() && !redraft::begin_trace(inside.trace_file)) return 1;
  const int code = inside.replay.empty() ? serve(std::move(options), doors, file)
                                         : play(std::move(options), inside);
  (void)redraft::end_trace();
  return code;
}
