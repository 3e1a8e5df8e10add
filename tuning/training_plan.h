#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace redraft {

// When a run sees which example, and how fast it learns then: all that follows from its options and
// the number of examples, so that a run that goes on later needs no more than its place in it.
struct TrainingPlan {
  int examples = 0;  // >= 1
  int batch = 32;    // examples a step; the last step of an epoch has the rest
  int steps = 0;     // in all
  int warmup = 10;   // steps in which the rate rises from 0
  double learning_rate = 2e-5;
  std::uint64_t seed = 1;

  int steps_per_epoch() const { return (examples + batch - 1) / batch; }
  // All examples, in the order of that epoch.
  std::vector<std::size_t> order_of(int epoch) const;
  // The examples of step `step` < steps, in order; each epoch has an order of its own.
  std::vector<std::size_t> batch_of(int step) const;
  // Linear to learning_rate, then along half a cosine to 0: get_cosine_schedule_with_warmup of
  // transformers, of which step 0 has the rate 0 unless there is no warm-up.
  double rate_of(int step) const;
  // What decides about the dropout of an example: differs for every one that a run sees.
  std::uint64_t dropout_seed(int step, int place) const;
};

}  // namespace redraft
