#include "cli/common/kv_key.h"

#include "cli/common/cost_cache.h"

namespace redraft::cli {

// The same as for the cost of passes, but that the name, size and date of a file do not tell its
// content well enough, and that the number of threads changes no bit: they share the work of a row.
Result<KvArchive::Key> kv_key(const ModelLocation& model, const std::string& weights,
                              const std::string& instructions) {
  const Result<CostKey> key = cost_key(model, 0, instructions);
  if (!key) return key.error();
  return KvArchive::Key{
      .model = weights + "\n" + key->adapter + "\n" + key->cpu + "\n" + key->instructions,
      .build = key->program};
}

}  // namespace redraft::cli
