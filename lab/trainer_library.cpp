// load_trainable() and make_trainable_head() for redraft-lab: those of a library which is opened
// with the first training, for the reason of cli/transformer_library.cpp.
#include "cli/tensor_library.h"
#include "lab/trainer_entry.h"
#include "support/system/processes.h"

namespace redraft {
namespace {

// The laboratory is not installed: the library is beside the program.
std::filesystem::path trainer_library() {
  return executable().replace_filename("libredraft-trainer.so");
}

}  // namespace

Result<std::unique_ptr<TrainableModel>> load_trainable(const ModelFiles& files,
                                                       const TrainableOptions& options,
                                                       const LoadControl& control) {
  static const Result<cli::LoadTrainable*> load =
      cli::load_through<cli::TrainableEntry>(trainer_library(), cli::kTrainableEntry);
  if (!load) return load.error();
  return (*load)(files, options, control);
}

Result<std::unique_ptr<TrainableHead>> make_trainable_head(const TrainableHeadOptions& options) {
  static const Result<cli::MakeTrainableHead*> make =
      cli::load_through<cli::TrainableHeadEntry>(trainer_library(), cli::kTrainableHeadEntry);
  if (!make) return make.error();
  return (*make)(options);
}

}  // namespace redraft
