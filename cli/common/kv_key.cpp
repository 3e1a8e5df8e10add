#include "cli/common/kv_key.h"

#include "cli/common/cost_cache.h"

namespace redraft::cli {

// The same as for the cost of passes, without the number of threads: they share the work of a row
// without changing a bit of it.
Result<KvArchive::Key> kv_key(const ModelLocation& model, const std::string& instructions) {
  const Result<CostKey> key = cost_key(model, 0, instructions);
  if (!key) return key.error();
  return KvArchive::Key{.model = key->model + "\n" + std::to_string(key->model_bytes) + "\n" +
                                 std::to_string(key->model_time) + "\n" + key->adapter + "\n" +
                                 key->cpu + "\n" + key->instructions,
                        .build = key->program};
}

}  // namespace redraft::cli
