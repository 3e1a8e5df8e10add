#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace redraft {

// Which examples a run sees at which step, and the learning rate of each step. All of it follows
// from the options and the number of examples, so a resumed run only needs its place in the plan.
struct TrainingPlan {
  int examples = 0;  // >= 1
  int batch = 32;    // examples per step; the last step of an epoch has the remainder
  int steps = 0;     // total
  int warmup = 10;   // steps in which the rate rises from 0
  double learning_rate = 2e-5;
  std::uint64_t seed = 1;

  int steps_per_epoch() const { return (examples + batch - 1) / batch; }
  // All examples, in the order of that epoch.
  std::vector<std::size_t> order_of(int epoch) const;
  // The examples of step `step` < steps, in order; each epoch has its own order.
  std::vector<std::size_t> batch_of(int step) const;
  // Linear up to learning_rate, then along half a cosine to 0: get_cosine_schedule_with_warmup of
  // transformers, in which step 0 has the rate 0 unless there is no warm-up.
  double rate_of(int step) const;
  // The seed for the dropout of an example; unique within a run.
  std::uint64_t dropout_seed(int step, int place) const;
};

}  // namespace redraft
