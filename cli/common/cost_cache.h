#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "decoding/cost_curve.h"
#include "decoding/language_model.h"
#include "support/result.h"

namespace redraft::cli {

// What the time of a pass depends on. A curve that was measured under another key is of no use.
struct CostKey {
  std::string cpu;
  int threads = 0;
  std::string instructions;
  std::string program;  // which build measured: its kernels decide
  std::string model;    // the file's or folder's name
  std::uint64_t model_bytes = 0;
  std::int64_t model_time = 0;  // when it was last written, in its file system's own count
  bool operator==(const CostKey&) const = default;
};

// For this machine and program, and the kernels that kernels_on() names. A folder's weights are all
// files in it.
Result<CostKey> cost_key(const std::filesystem::path& model, int threads,
                         const std::string& instructions);

struct StoredCost {
  CostCurve curve;
  std::int64_t measured_at = 0;  // seconds since 1970
  bool complete = false;         // by `redraft bench cost`; otherwise in a second, at a start
};

// Measured cost curves, a small JSON file for each machine and model. Any number of processes may
// read and write at once: a reader finds a whole curve or none.
class CostCache {
 public:
  // Default: $XDG_CACHE_HOME/redraft/cost (~/.cache/redraft/cost).
  CostCache();
  explicit CostCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Nothing when none was stored, it is damaged, or it is of another machine, program or model.
  std::optional<StoredCost> load(const CostKey& key) const;
  Result<void> store(const CostKey& key, const StoredCost& cost) const;
  std::filesystem::path file_of(const CostKey& key) const;

 private:
  std::filesystem::path directory_;
};

// The text of a cache file and back. `text` is hostile: whatever it holds, the result is a curve
// that can be used or an error that begins with `name`.
std::string to_text(const CostKey& key, const StoredCost& cost);
Result<StoredCost> parse_cost(const std::string& name, const std::string& text, const CostKey& key);

// The stored curve, or else a short measurement, which is then stored. A cache that cannot be
// written is no reason to fail.
CostCurve find_or_measure_cost(const CostCache& cache, const CostKey& key, LanguageModel& model);

}  // namespace redraft::cli
