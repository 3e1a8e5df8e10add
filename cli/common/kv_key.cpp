#include "cli/common/kv_key.h"

#include "cli/common/cost_cache.h"
#include "cli/common/identity.h"

namespace redraft::cli {
namespace {

// A folder may have hundreds of files, and an entry on disk a name of so many bytes at most.
constexpr std::size_t kLongest = 1024;

}  // namespace

// The same as for the cost of passes, but that the name, size and date of a file do not tell its
// content well enough, and that the number of threads changes no bit: they share the work of a row.
Result<KvArchive::Key> kv_key(const ModelLocation& model, const std::string& weights,
                              const std::string& instructions) {
  const Result<CostKey> key = cost_key(model, 0, instructions);
  if (!key) return key.error();
  const std::string which = weights.size() <= kLongest ? weights : stable_hash(weights);
  return KvArchive::Key{
      .model = which + "\n" + key->adapter + "\n" + key->cpu + "\n" + key->instructions,
      .build = key->program};
}

}  // namespace redraft::cli
