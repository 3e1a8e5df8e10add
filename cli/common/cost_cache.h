#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "decoding/cost_curve.h"
#include "decoding/language_model.h"
#include "decoding/model/model_location.h"
#include "support/result.h"
#include "workspace/engine/pass_costs.h"

namespace redraft::cli {

// What the time of a pass depends on. A curve measured under another key is useless.
struct CostKey {
  std::string cpu;
  int threads = 0;
  std::string instructions;
  std::string program;  // which build measured: it determines the kernels
  std::string model;    // the file's or folder's name
  std::uint64_t model_bytes = 0;
  std::int64_t model_time = 0;  // when it was last written, by its file system
  std::string adapter = {};     // adapter_identity(); empty: none is merged into it
  bool operator==(const CostKey&) const = default;
};

// For this machine and program, and the kernels that kernels_on() names. The weights of a folder
// are all files in it.
Result<CostKey> cost_key(const ModelLocation& location, int threads,
                         const std::string& instructions);

struct StoredCost {
  CostCurve curve;
  std::int64_t measured_at = 0;  // seconds since 1970
  bool complete = false;         // by `redraft bench cost`; otherwise within a second
  int tries = 0;                 // to measure it again at a start, because the machine was busy
};

// Measured cost curves, a small JSON file per machine and model. Any number of processes may read
// and write concurrently: a reader finds a whole curve or none.
class CostCache {
 public:
  // Default: $XDG_CACHE_HOME/redraft/cost (~/.cache/redraft/cost). Without a cache folder nothing
  // is stored or found.
  CostCache();
  explicit CostCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // None if nothing is stored, it is damaged, or it is for another machine, program or model.
  std::optional<StoredCost> load(const CostKey& key) const;
  Result<void> store(const CostKey& key, const StoredCost& cost) const;
  std::filesystem::path file_of(const CostKey& key) const;

 private:
  std::filesystem::path directory_;
};

// Converts to and from the text of a cache file. `text` is untrusted: the result is always a usable
// curve or an error that begins with `name`.
std::string to_text(const CostKey& key, const StoredCost& cost);
Result<StoredCost> parse_cost(const std::string& name, const std::string& text, const CostKey& key);

// The stored curve, or else a short measurement, which is then stored. A curve that was measured in
// a busy moment or thrown away is measured again, at a few starts at most, and the measurement of
// the quietest moment stays. Failing to write the cache is not an error.
CostCurve find_or_measure_cost(const CostCache& cache, const CostKey& key, LanguageModel& model);
// Stores what became of the curve while it was in use.
void keep_cost(const CostCache& cache, const CostKey& key, const CostCurve& curve, CostChange how);

}  // namespace redraft::cli
