#include "cli/common/kv_folder.h"

#include <string>
#include <utility>

#include "cli/common/device.h"
#include "cli/common/kv_key.h"
#include "decoding/model/model_store.h"
#include "support/log/log.h"

namespace redraft::cli {

void keep_on_disk(LocalEngine& engine, const CommonOptions& options) {
  const std::filesystem::path folder = KvArchive::default_folder();
  if (folder.empty() || engine.device() != Device::cpu()) return;
  const Result<ModelLocation> model = locate_model(options.target);
  if (!model) return;
  Result<KvArchive::Key> key = kv_key(*model, engine.target_version(), kernels_on(engine.device()));
  // The adapter is read again for the key, so it must still be the one that was merged.
  if (!key || !engine.is_current()) return;
  Result<KvArchive> archive = KvArchive::open(folder, std::move(*key));
  if (!archive) {
    logging::warn("cannot cache prompts on disk: {}", archive.error().message());
    return;
  }
  engine.set_archive(std::move(*archive), [](const Error& error) {
    logging::info("cannot cache the prompt on disk: {}", error.message());
  });
}

}  // namespace redraft::cli
