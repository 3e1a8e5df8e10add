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
  double max_length = 1;  // maximum length of the gradient; longer ones are clipped; 0: no limit
  int evaluate_every =
      20;  // steps between two measurements on the held-out texts; also after the last step
};

// The optimiser's loop. It adds up the gradients of one example after the other to those of a
// batch, so it needs the memory of one example. A batch's loss is the mean over its learnt tokens,
// as if all were in one pass. Used by one thread.
class Training {
 public:
  // `model` outlives this. The plan counts the examples of `texts`; `held_out` may be empty.
  Training(TrainableModel& model, std::vector<TrainingText> texts,
           std::vector<TrainingText> held_out, const TrainingPlan& plan,
           const TrainingOptions& options);

  // Continues from that state instead of the beginning. Fails if the plan has no such place.
  Result<void> resume(TrainingState state);

  struct Watch {
    std::stop_token stop;                   // checked before each example
    std::function<void()> on_example = {};  // called after each example
    std::function<Result<void>()> on_step = {};
  };
  // Runs until the end of the plan or a stop. Fails if a loss or gradient is not finite (the state
  // is then useless), or if on_step fails.
  Result<void> run(const Watch& watch);

  bool finished() const { return steps_done() >= plan_.steps; }
  int steps_done() const { return static_cast<int>(state_.steps.size()); }
  // The state of the run, between two calls and inside on_example and on_step.
  const TrainingState& state();
  // The same, but its parameters and gradients may be outdated: for reports.
  const TrainingState& progress() const { return state_; }
  const TrainingPlan& plan() const { return plan_; }
  // The tokens of finished and remaining texts, from which the remaining time is estimated.
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
  std::vector<double> tokens_before_;  // before each step; the last is the sum
};

}  // namespace redraft
