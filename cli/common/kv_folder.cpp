#include "cli/common/kv_folder.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "cli/common/cost_cache.h"
#include "cli/common/device.h"
#include "decoding/model/model_store.h"

namespace redraft::cli {

// The same as for the cost of passes, without the number of threads: they share the work of a row
// without changing a bit of it.
Result<KvArchive::Key> kv_key(const std::filesystem::path& model, const std::string& instructions) {
  const Result<CostKey> key = cost_key(model, 0, instructions);
  if (!key) return key.error();
  return KvArchive::Key{.model = key->model + "\n" + std::to_string(key->model_bytes) + "\n" +
                                 std::to_string(key->model_time) + "\n" + key->cpu + "\n" +
                                 key->instructions,
                        .build = key->program};
}

void keep_on_disk(Engine& engine, const CommonOptions& options) {
  const std::filesystem::path folder = KvArchive::default_folder();
  if (folder.empty() || engine.device() != "cpu") return;
  const Result<std::filesystem::path> file = find_model(options.target);
  if (!file) return;
  Result<KvArchive::Key> key = kv_key(*file, kernels_on(engine.device()));
  if (!key) return;
  Result<KvArchive> archive = KvArchive::open(folder, std::move(*key));
  if (!archive) {
    spdlog::warn("what is read is not kept on disk: {}", archive.error().message());
    return;
  }
  engine.set_archive(std::move(*archive), [](const Error& error) {
    spdlog::info("what was read is not kept on disk: {}", error.message());
  });
}

}  // namespace redraft::cli
