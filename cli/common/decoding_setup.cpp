#include "cli/common/decoding_setup.h"

#include <utility>

#include "cli/common/engine_loader.h"

namespace redraft::cli {

std::optional<int> set_up(const CommonOptions& common, const DecoderName& decoder,
                          const CodeFolders& code, const std::filesystem::path& without,
                          StatusLine& status, const InterruptWatch& watch, DecodingSetup& setup) {
  setup.pool = make_pool(common);
  Result<std::unique_ptr<Engine>> engine =
      load_engine(common, decoder, *setup.pool, shown_on(status, watch.token()), Fallback::kCpu);
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!engine) return fail(engine.error());
  setup.engine = std::move(*engine);
  Result<Datastores> stores = load_datastores(common, code, without, status, watch.token());
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!stores) return fail(stores.error());
  setup.stores = std::move(*stores);
  return std::nullopt;
}

}  // namespace redraft::cli
