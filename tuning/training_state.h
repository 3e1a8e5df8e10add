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

// What one step of the optimiser was like.
struct StepRecord {
  double loss = 0;      // mean of the learnt tokens of its batch, in nats, before the step
  double accuracy = 0;  // share of them that were the model's first choice
  double rate = 0;
  double length = 0;        // of the gradient, before it was clipped
  std::int64_t tokens = 0;  // learnt ones
  double seconds = 0;
  std::optional<double> held_out;  // mean loss of the held-out texts after the step, if measured
  std::vector<double> more = {};   // what else was measured of them: the trainer's to say
};

// Where a run is, between two of its examples: all that a resumed run needs to end with the bits of
// one that was never interrupted.
struct TrainingState {
  std::vector<StepRecord> steps;  // those done
  int place = 0;                  // examples of the next step that are in `gradients`
  TextLoss batch;                 // theirs
  double seconds = 0;             // spent on them
  std::vector<float> parameters;
  std::vector<float> gradients;  // as many numbers as there are parameters, as are the moments
  AdamWState moments;
};

// What decides about a run, as names and values, in the words of the command line.
using RunIdentity = std::vector<std::pair<std::string, std::string>>;

// Replaces `file` by a checkpoint of that state, as a whole or not at all.
Result<void> save_checkpoint(const std::filesystem::path& file, const RunIdentity& identity,
                             const TrainingState& state);

// Reads one back, not trusted until its digest and all its sizes are checked. An error if it is
// damaged, or belongs to a run with another identity (it names the first difference) or another
// number of parameters.
Result<TrainingState> load_checkpoint(const std::filesystem::path& file,
                                      const RunIdentity& identity, std::size_t parameters);

}  // namespace redraft
