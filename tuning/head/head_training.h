#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "decoding/kernels/thread_pool.h"
#include "support/result.h"
#include "tuning/head/head_data.h"
#include "tuning/trainable_head.h"
#include "tuning/training.h"
#include "tuning/training_plan.h"
#include "tuning/training_state.h"

namespace redraft {

// How good a head's proposals are on rows.
struct HeadScore {
  struct Place {
    std::int64_t right = 0;
    std::int64_t asked = 0;  // rows where the place's token and those before are the target's own
  };
  double loss = 0;  // mean of the learnt places, weighted
  std::vector<Place> places;
  std::int64_t whole_rows = 0;  // where all places were asked
  std::int64_t accepted = 0;    // of their proposals: right ones with only right ones before

  double accuracy(std::size_t place) const;
  // Tokens a pass of the target would give if each row's proposals were the draft: one more than
  // are accepted, on average over the whole rows.
  double acceptance_length() const;
};

// Of these rows, a batch at a time. An error if a row holds a number that is not finite.
Result<HeadScore> score_head(TrainableHead& head, const HeadData& data,
                             std::span<const std::size_t> rows);

// Rows that are never learnt; none: nothing is measured.
struct HeldOutRows {
  const HeadData* data = nullptr;
  std::vector<std::size_t> rows = {};
};

// The optimiser's loop for a draft head: a step is one batch of rows, and their loss the mean over
// what is learnt of them, each place with its weight. In StepRecord::more are, where held-out rows
// were measured, the acceptance length and the accuracy of each place. Used by one thread.
class HeadTraining {
 public:
  // `head`, `data` and `pool` outlive this; the plan counts `rows`, each of which teaches
  // something. So does the data of `held_out`.
  HeadTraining(TrainableHead& head, const HeadData& data, std::vector<std::size_t> rows,
               HeldOutRows held_out, const TrainingPlan& plan, const TrainingOptions& options,
               ThreadPool& pool);

  // Goes on from there instead of from the beginning. An error if the plan has no such place.
  Result<void> resume(TrainingState state);

  struct Watch {
    std::stop_token stop;  // asked before each step
    std::function<Result<void>()> on_step = {};
  };
  // Until the end of the plan or a stop. An error if a loss or gradient is no finite number (the
  // state is then of no use), if a row's are not, or of on_step.
  Result<void> run(const Watch& watch);
  // Seconds that a step takes, and a look at the held-out rows: both are done once, without a trace
  // in what is trained. For a run that is to take a given time.
  Result<double> seconds_of_step();
  Result<double> seconds_of_look();

  bool finished() const { return steps_done() >= plan_.steps; }
  int steps_done() const { return static_cast<int>(state_.steps.size()); }
  // Where the run is, between two steps.
  const TrainingState& state();
  // The same, but its parameters and gradients may be old: for reports.
  const TrainingState& progress() const { return state_; }
  // The step, counted from 0, after which held-out rows were accepted furthest, the first of
  // equals; nothing where none were measured.
  std::optional<std::size_t> best_step() const;
  // The parameters after that step; empty where it was before resume(), or there is none.
  std::span<const float> best_parameters() const { return best_; }
  const TrainingPlan& plan() const { return plan_; }
  void set_steps(int steps) { plan_.steps = steps; }

 private:
  Result<HeadLoss> add_batch(int step);
  double finish_gradients(double rate, int step);
  Result<void> measure(StepRecord& record);
  Result<void> one_step();

  TrainableHead& head_;
  const HeadData& data_;
  std::vector<std::size_t> rows_;
  HeldOutRows held_out_;
  TrainingPlan plan_;
  TrainingOptions options_;
  ThreadPool& pool_;
  TrainingState state_;
  std::vector<float> best_;
  int epoch_ = -1;                  // of order_
  std::vector<std::size_t> order_;  // of rows_
};

}  // namespace redraft
