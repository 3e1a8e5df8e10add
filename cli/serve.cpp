// redraft serve: models for HTTP clients.
#include "cli/serve.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "cli/server_options.h"
#include "cli/shared_server.h"
#include "decoding/model/model_files.h"
#include "decoding/model/model_store.h"
#include "http/serve.h"
#include "lsp/host/attach.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {
namespace {

struct ServeChoices {
  ServerChoices server{.common = {}, .cache_mib = EngineOptions().cache_bytes >> 20};
  int port = 0;
  std::string token_file;
  bool no_token = false;
  bool editors = false;
};

// What clients call the model: its name, or the last part of its path.
std::string name_of(const std::string& target) {
  const std::string name = std::filesystem::path(target).filename().string();
  return name.empty() ? target : name;
}

// The context length of these models, from their files; 0 if unknown.
int context_length_of(const CommonOptions& common) {
  if (!common.remote.empty()) return 0;
  int length = EngineOptions().context_limit;
  for (const std::string& model : {common.target, common.draft}) {
    if (model.empty()) continue;
    const Result<ModelLocation> location = locate_model(model);
    if (!location) return 0;
    const Result<std::unique_ptr<const ModelFiles>> files = open_model_files(*location);
    if (!files) return 0;
    const Result<TransformerShape> shape = (*files)->shape();
    if (!shape) return 0;
    length = std::min(length, shape->context_length);
  }
  return length;
}

Result<http::ServeOptions> serve_options(const ServeChoices& choices) {
  const CommonOptions& common = choices.server.common;
  const Result<DecoderName> decoder =
      parse_decoder_name(common.draft.empty() ? "redraft" : "redraft:model");
  if (!decoder) return decoder.error();
  http::ServeOptions serve{.port = choices.port,
                           .token_file = choices.token_file,
                           .needs_token = !choices.no_token,
                           .http = {.model = name_of(common.target),
                                    .context_length = context_length_of(common),
                                    .generation = {.decoder = *decoder}}};
  if (!choices.editors) return serve;
  const Result<std::filesystem::path> socket =
      lsp::attach_socket(shared_server(choices.server, 0).key);
  if (!socket) return socket.error();
  serve.editors = *socket;
  serve.http.generation.remembering = Remembering::kNothing;
  return serve;
}

int run_serve(const ServeChoices& choices) {
  if (const Result<void> applied = apply(choices.server.common); !applied)
    return fail(applied.error());
  Result<http::ServeOptions> serve = serve_options(choices);
  if (!serve) return fail(serve.error());
  ServerChoices server = choices.server;
  if (!choices.editors)
    server.no_index = server.no_kv_cache = true;  // prompts do not belong to
                                                  // files
  const Result<int> code = http::serve(server_options(server), *std::move(serve));
  return code ? *code : fail(code.error());
}

}  // namespace

void add_serve(CommandLine app, Command& chosen) {
  const CommandLine command =
      app.add_subcommand("serve", "Serve programs that use OpenAI's or llama.cpp's HTTP interface");
  const auto choices = std::make_shared<ServeChoices>();
  command
      .add_option("--http", choices->port, "The port on the loopback interface, 0 for any free one")
      .check(in_range(0, 65535))
      .required();
  const Option file =
      command.add_option("--token-file", choices->token_file,
                         "Where to write the token that clients must send (default: in "
                         "$XDG_RUNTIME_DIR/redraft)");
  command.add_flag("--no-token", choices->no_token, "Serve any program of any user on this machine")
      .excludes(file);
  command.add_flag("--editors", choices->editors,
                   "Also serve this user's editors that start `redraft lsp` with the same "
                   "options: one model for all");
  command
      .add_option("--cache-memory", choices->server.cache_mib,
                  "MiB of memory to cache the prompts of earlier requests")
      .check(in_range(0, 1 << 20))
      .show_default();
  command.add_flag("--no-confinement", choices->server.no_confinement,
                   "Keep the rights to write outside of redraft's own folders, to start programs "
                   "and to open network connections");
  add_server_options(command, choices->server.common);
  command.callback([&chosen, choices] { chosen = [choices] { return run_serve(*choices); }; });
}

}  // namespace redraft::cli
