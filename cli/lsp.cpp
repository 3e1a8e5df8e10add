// redraft lsp: the language server, for editors.
#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/engine_loader.h"
#include "lsp/run_server.h"

namespace redraft::cli {
namespace {

struct LspOptions {
  CommonOptions common;
  bool stdio = true;
};

// A draft model costs memory for as long as the editor is open, so it has to be asked for by name.
Result<std::unique_ptr<Engine>> make_engine(const CommonOptions& options, ThreadPool& pool,
                                            const LoadControl& control) {
  const Result<DecoderName> decoder =
      parse_decoder_name(options.draft.empty() ? "redraft" : "efficientedit");
  if (!decoder) return decoder.error();
  return load_engine(options, *decoder, pool, control);
}

int run_lsp(const LspOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const std::shared_ptr<ThreadPool> pool = make_pool(options.common);
  lsp::ServerOptions server;
  server.make_engine = [common = options.common, pool](const LoadControl& control) {
    return make_engine(common, *pool, control);
  };
  server.log_level = options.common.log_level;
  server.exit_limit = std::chrono::milliseconds(600);
  return lsp::run_server(std::move(server), STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace

void add_lsp(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("lsp", "Serve an editor over the Language Server Protocol");
  const auto options = std::make_shared<LspOptions>();
  command->add_flag("--stdio", options->stdio, "Over standard input and output (the default)");
  add_common_options(*command, options->common);
  command->callback([&chosen, options] { chosen = [options] { return run_lsp(*options); }; });
}

}  // namespace redraft::cli
