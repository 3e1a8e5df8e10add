#include "cli/common/decoding_setup.h"

#include <utility>

#include "cli/common/engine_loader.h"
#include "cli/common/remote.h"
#include "support/trace/trace.h"

namespace redraft::cli {
namespace {

Result<std::unique_ptr<Engine>> load(const CommonOptions& common, const DecoderName& decoder,
                                     ThreadPool& pool, StatusLine& status,
                                     const InterruptWatch& watch) {
  const Span span("load");
  if (!common.remote.empty()) {
    const LoadControl control = shown_on(status, watch.token());
    return load_remote_engine(common, start_remote(common), control, [&] {
      return as_engine(load_engine(common, decoder, pool, control, Fallback::kCpu));
    });
  }
  return as_engine(
      load_engine(common, decoder, pool, shown_on(status, watch.token()), Fallback::kCpu));
}

}  // namespace

void add_inside_options(CommandLine subcommand, InsideOptions& options) {
  add_trace_option(subcommand, options.trace_file);
  add_token_trace_option(subcommand, options.token_file);
}

std::optional<int> set_up(const CommonOptions& common, const InsideOptions& inside,
                          const DecoderName& decoder, const CodeFolders& code,
                          const std::filesystem::path& without, StatusLine& status,
                          const InterruptWatch& watch, DecodingSetup& setup) {
  if (const Result<void> traced = setup.tracing.begin(inside.trace_file); !traced)
    return fail(traced.error());
  setup.pool = make_pool(common);
  Result<std::unique_ptr<Engine>> engine = load(common, decoder, *setup.pool, status, watch);
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!engine) return fail(engine.error());
  setup.engine = std::move(*engine);
  Result<std::unique_ptr<TokenTrace>> tokens = TokenTrace::begin(inside.token_file, *setup.engine);
  if (!tokens) return fail(tokens.error());
  setup.tokens = std::move(*tokens);
  if (!setup.engine->reads_indexes()) return std::nullopt;
  Result<Datastores> stores = load_datastores(common, code, without, status, watch.token());
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!stores) return fail(stores.error());
  setup.stores = std::move(*stores);
  return std::nullopt;
}

}  // namespace redraft::cli
