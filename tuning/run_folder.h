#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "support/files/lock_file.h"
#include "support/result.h"
#include "tuning/training_state.h"

namespace redraft {

// Where a run writes: the checkpoint, what it makes as it is then (an adapter, a draft head), the
// losses as a table (losses.csv) and as a picture (loss.svg). One process at a time has it.
class RunFolder {
 public:
  // What a run makes: how errors call it, and its file.
  struct Product {
    std::string name;  // "an adapter"
    std::string file;
  };
  // Creates the folder if it is missing. With `restart`, what an earlier run left is replaced by
  // the first save; without, a product that no checkpoint belongs to is an error, as is a folder
  // that another process has.
  static Result<RunFolder> open(const std::filesystem::path& folder, RunIdentity identity,
                                const Product& product, bool restart);

  // Where the run in the folder stopped, for a model with so many parameters; nothing if it has to
  // begin. An error if the folder has another run, or its checkpoint is damaged.
  Result<std::optional<TrainingState>> checkpoint(std::size_t parameters) const;
  // `write` writes the product to the folder; `title` is above the picture.
  Result<void> save(const TrainingState& state, const std::string& title,
                    const std::function<Result<void>()>& write) const;

  const std::filesystem::path& path() const { return folder_; }

 private:
  RunFolder(std::filesystem::path folder, RunIdentity identity, bool restart, LockFile lock);

  std::filesystem::path folder_;
  RunIdentity identity_;
  bool restart_;
  LockFile lock_;
};

// The losses of steps as comma-separated values under a line of names.
std::string loss_table(std::span<const StepRecord> steps);

}  // namespace redraft
