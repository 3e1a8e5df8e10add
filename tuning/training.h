#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "support/result.h"
#include "tuning/training_plan.h"
#include "tuning/training_state.h"

namespace redraft {

struct TrainingOptions {
  AdamWOptions optimiser = {};
  double max_length = 1;    // of the gradient: longer ones are clipped; 0: never
  int evaluate_every = 20;  // steps between two looks at the held-out texts; also after the last
};

// The optimiser's loop: gradients of one example after the other are added up to a batch's, so the
// memory is that of one example. A batch's loss is the mean over its learnt tokens, as if all were
// in one pass. Used by one thread.
class Training {
 public:
  // `model` outlives this. `texts` are what the plan counts; `held_out` may be empty.
  Training(TrainableModel& model, std::vector<TrainingText> texts,
           std::vector<TrainingText> held_out, const TrainingPlan& plan,
           const TrainingOptions& options);

  // Goes on from there instead of from the beginning. An error if the plan has no such place.
  Result<void> resume(TrainingState state);

  struct Watch {
    std::stop_token stop;                   // asked before each example
    std::function<void()> on_example = {};  // after each
    std::function<Result<void>()> on_step = {};
  };
  // Until the end of the plan or a stop. An error if a loss or gradient is no finite number (the
  // state is then of no use), or of on_step.
  Result<void> run(const Watch& watch);

  bool finished() const { return steps_done() >= plan_.steps; }
  int steps_done() const { return static_cast<int>(state_.steps.size()); }
  // Where the run is, between two calls and inside on_example and on_step.
  const TrainingState& state();
  // The same, but its parameters and gradients may be old: for reports.
  const TrainingState& progress() const { return state_; }
  const TrainingPlan& plan() const { return plan_; }
  // Tokens of the texts that are behind and in front: what the time that is left follows from.
  double tokens_done() const;
  double tokens_in_all() const { return tokens_before_.back(); }

 private:
  Result<void> finish_step();
  TextLoss held_out_loss();

  TrainableModel& model_;
  std::vector<TrainingText> texts_;
  std::vector<TrainingText> held_out_;
  TrainingPlan plan_;
  TrainingOptions options_;
  TrainingState state_;
  std::vector<double> tokens_before_;  // each step; the last is the sum
};

}  // namespace redraft
