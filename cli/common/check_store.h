#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "decoding/kv_archive.h"
#include "support/result.h"
#include "workspace/engine/check_verdict.h"

namespace redraft::cli {

// The results of checks of models (workspace/engine/model_check.h): a small JSON file for each
// model. Any number of processes may read and write concurrently.
class CheckStore {
 public:
  // What a result depends on is what a model's rows depend on: see kv_key().
  using Key = KvArchive::Key;

  // Default: $XDG_CACHE_HOME/redraft/checks (~/.cache/redraft/checks).
  CheckStore();
  explicit CheckStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Nothing if none is stored, it is damaged, or it is of another build of the program.
  std::optional<CheckVerdict> load(const Key& key) const;
  Result<void> store(const Key& key, const CheckVerdict& verdict) const;
  // The result of another build is replaced.
  std::filesystem::path file_of(const Key& key) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace redraft::cli
