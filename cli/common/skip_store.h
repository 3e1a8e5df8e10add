#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "decoding/model/model_location.h"
#include "support/result.h"

namespace redraft::cli {

// Which sublayers self-speculative decoding leaves out of a model, as `redraft bench skips` found
// them: a small JSON file for each model. The model is recognised by its name, size and date, and
// by its adapter. Any number of processes may read and write concurrently.
class SkipStore {
 public:
  // Default: $XDG_CACHE_HOME/redraft/skips (~/.cache/redraft/skips).
  SkipStore();
  explicit SkipStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // As text (SkippedLayers). Empty if nothing is stored, it is damaged, or it is of another model.
  std::string load(const ModelLocation& model) const;
  Result<void> store(const ModelLocation& model, const std::string& skipped) const;

 private:
  std::filesystem::path file_of(const std::string& model) const;

  std::filesystem::path directory_;
};

}  // namespace redraft::cli
