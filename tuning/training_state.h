#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/result.h"
#include "tuning/adam_w.h"
#include "tuning/trainable_model.h"

namespace redraft {

// The measurements of one step of the optimiser.
struct StepRecord {
  double loss = 0;      // mean over the learnt tokens of its batch, in nats, before the step
  double accuracy = 0;  // share of them that were the model's first choice
  double rate = 0;
  double length = 0;        // of the gradient, before clipping
  std::int64_t tokens = 0;  // number of learnt tokens
  double seconds = 0;
  std::optional<double> held_out;  // mean loss on the held-out texts after the step, if measured
  std::vector<double> more = {};   // other measurements on them, defined by the trainer
};

// The state of a run between two of its examples: everything that a resumed run needs to end with
// the same bits as an uninterrupted one.
struct TrainingState {
  std::vector<StepRecord> steps;  // the finished steps
  int place = 0;                  // number of examples of the next step that are in `gradients`
  TextLoss batch;                 // the loss of these examples
  double seconds = 0;             // time spent on the finished steps and these examples
  std::vector<float> parameters;
  std::vector<float> gradients;  // as many numbers as there are parameters, as for the moments
  AdamWState moments;
};

// The options that determine a run, as names and values, as on the command line.
using RunIdentity = std::vector<std::pair<std::string, std::string>>;

// Replaces `file` by a checkpoint of that state, completely or not at all.
Result<void> save_checkpoint(const std::filesystem::path& file, const RunIdentity& identity,
                             const TrainingState& state);

// Reads a checkpoint, which is untrusted until its digest and all its sizes are checked. Fails if
// it is damaged, or belongs to a run with another identity (the error names the first difference)
// or another number of parameters.
Result<TrainingState> load_checkpoint(const std::filesystem::path& file,
                                      const RunIdentity& identity, std::size_t parameters);

}  // namespace redraft
