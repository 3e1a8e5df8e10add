#include "cli/common/kv_key.h"

#include "cli/common/cost_cache.h"
#include "cli/common/identity.h"

namespace redraft::cli {
namespace {

// A folder may have hundreds of files, but the name of a cache entry has at most this many bytes.
constexpr std::size_t kLongest = 1024;

}  // namespace

// Like the key for the cost of passes, except for two points: name, size and date of a file do not
// identify its content well enough, and the number of threads changes no bit, because threads share
// the work of a row.
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
