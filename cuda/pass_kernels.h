#pragma once

#include "cuda/device_cache.h"
#include "cuda/device_weights.h"
#include "cuda/pass_memory.h"
#include "decoding/model/transformer_shape.h"

namespace redraft::cuda {

// Queues the kernels of a pass over the rows that PassMemory holds. No call waits, allocates or
// copies to or from the host, so a pass can be recorded. Its constructor's arguments outlive it.
class PassKernels {
 public:
  PassKernels(const TransformerShape& shape, const DeviceWeights& weights, PassMemory& memory,
              const DeviceQueue& queue)
      : shape_(shape), weights_(weights), memory_(memory), queue_(queue) {}

  // Leaves the last layer's output in hidden(), except for what its feed-forward block adds.
  void layers(int rows, const DeviceKvStorage& storage) const;
  // The best token of each of `count` rows, starting at `first`, at the same indices of best().
  void best(int first, int count) const;
  // Writes to verdict() what part of the draft is accepted, and moves its keys and values to their
  // slots.
  void accept(int rows, const DeviceKvStorage& storage) const;
  // `steps` passes of one row. Each runs the best token of the pass before; the first runs the
  // token at written()[0]. Afterwards written() has the tokens that were run, and best() the last
  // one found.
  void steps(int steps, const DeviceKvStorage& storage) const;

  // The input of the head for `count` rows, starting at `first`; only once a pass, because it
  // changes hidden(). From that input: the best tokens, stored from `first` of best() on, or the
  // logits of rows.
  Rows head_input(int first, int count) const;
  void best_of(const Rows& x, int first, int count) const;
  void logits_of(const Rows& x, int rows, float* out) const;

 private:
  Stream stream() const { return queue_.stream(); }
  // hidden += added, and its norm for `readers`.
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
