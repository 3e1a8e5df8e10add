#pragma once

#include "cuda/device_cache.h"
#include "cuda/device_weights.h"
#include "cuda/pass_memory.h"
#include "decoding/model/transformer_shape.h"

namespace redraft::cuda {

// Queues the kernels of a pass over the rows that PassMemory holds: nothing of it waits, allocates
// or sends anything, so it can be recorded. All it is made with outlives it.
class PassKernels {
 public:
  PassKernels(const TransformerShape& shape, const DeviceWeights& weights, PassMemory& memory,
              const DeviceQueue& queue)
      : shape_(shape), weights_(weights), memory_(memory), queue_(queue) {}

  // Leaves the last layer's output in hidden(), but for what its feed-forward block adds.
  void layers(int rows, const DeviceKvStorage& storage) const;
  // The best token of each of `count` rows from `first` on, at their places in best().
  void best(int first, int count) const;
  // What of the draft stands, in verdict(), and its keys and values where they belong.
  void accept(int rows, const DeviceKvStorage& storage) const;
  // `steps` passes of one row, each of the token that the one before found best, the first of the
  // one at written()[0]. The tokens that were run are in written() afterwards, the last one found
  // in best().
  void steps(int steps, const DeviceKvStorage& storage) const;

  // What the head reads of `count` rows from `first` on: once a pass, as it changes hidden(). Then
  // of that: the best tokens, at `first` of best() and behind, or the logits of rows.
  Rows head_input(int first, int count) const;
  void best_of(const Rows& x, int first, int count) const;
  void logits_of(const Rows& x, int rows, float* out) const;

 private:
  Stream stream() const { return queue_.stream(); }
  // hidden += added, and the norm of it for `readers`.
  Rows normed(const float* weight, const float* added, int rows,
              const DeviceLinears& readers) const;
  void multiply(const DeviceLinear& linear, const Rows& x, int rows, float* y, int ldy) const;
  void multiply(const DeviceLinears& linears, const Rows& x, int rows, float* y, int ldy) const;
  void attention_block(const DeviceLayer& layer, int rows, const float* added,
                       const KvMemory& kv) const;
  void feed_forward_block(const DeviceLayer& layer, int rows) const;

  const TransformerShape& shape_;
  const DeviceWeights& weights_;
  PassMemory& memory_;
  const DeviceQueue& queue_;
};

}  // namespace redraft::cuda
