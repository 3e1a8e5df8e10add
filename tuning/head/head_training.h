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

// The quality of a head's proposals on rows.
struct HeadScore {
  struct Place {
    std::int64_t right = 0;
    std::int64_t asked =
        0;  // rows in which this place's token and the ones before it are the target's own
  };
  double loss = 0;  // weighted mean of the learnt places
  std::vector<Place> places;
  std::int64_t whole_rows = 0;  // rows in which all places count
  std::int64_t accepted =
      0;  // accepted proposals of the whole rows: right ones after only right ones

  double accuracy(std::size_t place) const;
  // The tokens per pass of the target if each row's proposals were the draft: one more than the
  // accepted ones, on average over the whole rows.
  double acceptance_length() const;
};

// Scores these rows, a batch at a time. Fails if a row contains a number that is not finite.
Result<HeadScore> score_head(TrainableHead& head, const HeadData& data,
                             std::span<const std::size_t> rows);

// Rows that are never learnt; if empty, nothing is measured.
struct HeldOutRows {
  const HeadData* data = nullptr;
  std::vector<std::size_t> rows = {};
};

// The optimiser's loop for a draft head. A step is one batch of rows; its loss is the mean over the
// learnt tokens, each place with its weight. Where held-out rows were measured, StepRecord::more
// has the acceptance length and the accuracy of each place. Used by one thread.
class HeadTraining {
 public:
  // `head`, `data` and `pool` outlive this. The plan counts `rows`, each of which teaches
  // something; the same holds for `held_out`.
  HeadTraining(TrainableHead& head, const HeadData& data, std::vector<std::size_t> rows,
               HeldOutRows held_out, const TrainingPlan& plan, const TrainingOptions& options,
               ThreadPool& pool);

  // Continues from that state instead of the beginning. Fails if the plan has no such place.
  Result<void> resume(TrainingState state);

  struct Watch {
    std::stop_token stop;  // checked before each step
    std::function<Result<void>()> on_step = {};
  };
  // Runs until the end of the plan or a stop. Fails if a loss or gradient is not finite (the state
  // is then useless), if a row is not finite, or if on_step fails.
  Result<void> run(const Watch& watch);
  // The seconds that one step and one measurement on the held-out rows take. Runs each once without
  // changing the parameters. For a run of a given duration.
  Result<double> seconds_of_step();
  Result<double> seconds_of_look();

  bool finished() const { return steps_done() >= plan_.steps; }
  int steps_done() const { return static_cast<int>(state_.steps.size()); }
  // The state of the run, between two steps.
  const TrainingState& state();
  // The same, but its parameters and gradients may be outdated: for reports.
  const TrainingState& progress() const { return state_; }
  // The step, counted from 0, after which the acceptance length on held-out rows was greatest, the
  // first among equals; nullopt if it was never measured.
  std::optional<std::size_t> best_step() const;
  // The parameters after that step; empty if it was before resume(), or if there is none.
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
  int epoch_ = -1;                  // the epoch of order_
  std::vector<std::size_t> order_;  // order of rows_
};

}  // namespace redraft
