// redraft serve: the models for programs that speak HTTP.
#include "cli/serve.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/common/identity.h"
#include "cli/server_engine.h"
#include "cli/shared_server.h"
#include "http/serve.h"
#include "support/system/crash_notes.h"

namespace redraft::cli {
namespace {

struct ServeChoices {
  // Prompts have no file that they could be kept with on disk.
  ServerChoices server{
      .common = {}, .cache_mib = EngineOptions().cache_bytes >> 20, .no_kv_cache = true};
  int port = 0;
  std::string token_file;
  bool no_token = false;
};

// What clients call the model: its name, or the last part of its path.
std::string name_of(const std::string& target) {
  const std::string name = std::filesystem::path(target).filename().string();
  return name.empty() ? target : name;
}

int run_serve(const ServeChoices& choices) {
  const CommonOptions& common = choices.server.common;
  if (const Result<void> applied = apply(common); !applied) return fail(applied.error());
  const Result<DecoderName> decoder =
      parse_decoder_name(common.draft.empty() ? "redraft" : "redraft:model");
  if (!decoder) return fail(decoder.error());
  lsp::ServerOptions server;
  server.make_engine = engine_factory(choices.server, std::make_shared<OneVocabulary>());
  server.crash_notes = default_crash_notes();
  server.build = program_identity();
  if (!choices.server.no_confinement) server.confinement = confinement_of(common);
  server.log_level = common.log_level;
  server.exit_limit = std::chrono::milliseconds(600);
  const Result<int> code = http::serve(
      std::move(server), {.port = choices.port,
                          .token_file = choices.token_file,
                          .needs_token = !choices.no_token,
                          .http = {.model = name_of(common.target), .decoder = *decoder}});
  return code ? *code : fail(code.error());
}

}  // namespace

void add_serve(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("serve", "Serve programs that speak OpenAI's or llama.cpp's HTTP");
  const auto choices = std::make_shared<ServeChoices>();
  command
      ->add_option("--http", choices->port,
                   "The port of the loopback interface, 0 for any that is free")
      ->check(CLI::Range(0, 65535))
      ->required();
  CLI::Option* file =
      command->add_option("--token-file", choices->token_file,
                          "Where the token is written that clients have to show (default: in "
                          "$XDG_RUNTIME_DIR/redraft)");
  command
      ->add_flag("--no-token", choices->no_token, "Serve any program on this machine, of any user")
      ->excludes(file);
  command
      ->add_option("--cache-memory", choices->server.cache_mib,
                   "MiB for what earlier requests have read, so that the next ones need not")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command->add_flag("--no-confinement", choices->server.no_confinement,
                    "Do not give up the right to write outside of redraft's own folders, to start "
                    "programs and to connect to anything");
  add_server_options(*command, choices->server.common);
  command->callback([&chosen, choices] { chosen = [choices] { return run_serve(*choices); }; });
}

}  // namespace redraft::cli
