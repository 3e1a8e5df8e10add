// redraft lsp: the language server, for editors.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/engine_loader.h"
#include "cli/index_loader.h"
#include "indexing/dependencies.h"
#include "lsp/run_server.h"

namespace redraft::cli {
namespace {

struct LspOptions {
  CommonOptions common;
  bool stdio = true;
  bool no_index = false;
  std::size_t cache_mib = EngineOptions().cache_bytes >> 20;
};

// A draft model costs memory for as long as the editor is open, so it has to be asked for by name.
Result<std::unique_ptr<Engine>> make_engine(const LspOptions& options, ThreadPool& pool,
                                            const LoadControl& control) {
  const Result<DecoderName> decoder =
      parse_decoder_name(options.common.draft.empty() ? "redraft" : "efficientedit");
  if (!decoder) return decoder.error();
  return load_engine(options.common, *decoder, pool, control,
                     {.cache_bytes = options.cache_mib << 20});
}

using Folders = lsp::Server::Folders;

int run_lsp(const LspOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const std::shared_ptr<ThreadPool> pool = make_pool(options.common);
  lsp::ServerOptions server;
  server.make_engine = [options, pool](const LoadControl& control) {
    return make_engine(options, *pool, control);
  };
  if (!options.no_index) {
    server.index.of_workspace = [common = options.common](const Folders& folders) {
      return [common, folders](std::string& message) {
        return load_index(common, folders, {.scan = {}, .background = true}, message);
      };
    };
    server.index.of_common_code = [common = options.common](const Folders& workspace,
                                                            bool dependencies,
                                                            const Folders& others) {
      return [=](std::string& message) {
        Folders folders = others;
        if (dependencies)
          std::ranges::copy(dependency_folders(workspace), std::back_inserter(folders));
        IndexOptions index_options = kCommonCode;
        index_options.background = true;
        return load_index(common, folders, index_options, message);
      };
    };
  }
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
  command->add_flag("--no-index", options->no_index,
                    "Do not index the workspace's folders to draft from them");
  command
      ->add_option("--cache-memory", options->cache_mib,
                   "MiB for what earlier requests have read, so that the next ones need not")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  add_common_options(*command, options->common);
  command->callback([&chosen, options] { chosen = [options] { return run_lsp(*options); }; });
}

}  // namespace redraft::cli
