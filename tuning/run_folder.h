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

// The folder that a run writes to: the checkpoint, the product (an adapter, a draft head), the
// losses as a table (losses.csv) and as a picture (loss.svg). One process at a time uses it.
class RunFolder {
 public:
  // The product of a run: its name in errors, and its file.
  struct Product {
    std::string name;  // "an adapter"
    std::string file;
  };
  // Creates the folder if it is missing. With `restart`, the first save replaces the files of an
  // earlier run; otherwise a product without a checkpoint is an error. A folder in use by another
  // process is an error too.
  static Result<RunFolder> open(const std::filesystem::path& folder, RunIdentity identity,
                                const Product& product, bool restart);

  // The state of the run in the folder, for a model with this number of parameters; nullopt if the
  // run has not begun. Fails if the folder belongs to another run, or its checkpoint is damaged.
  Result<std::optional<TrainingState>> checkpoint(std::size_t parameters) const;
  // `write` writes the product to the folder; `title` is shown above the picture.
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

// The losses of steps as comma-separated values with a header line.
std::string loss_table(std::span<const StepRecord> steps);

}  // namespace redraft
