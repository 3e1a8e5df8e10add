#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <vector>

#include "decoding/kernels/delta_rule.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/recurrent_state.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weights.h"
#include "decoding/pass_profile.h"

namespace redraft {

// The layers of a hybrid that have a recurrent state in place of attention: a Gated DeltaNet
// (decoding/kernels/delta_rule.h) between its projections. A pass advances the state by its
// context, computes its draft from copies, and notes what replay() needs to advance over the
// accepted nodes: no second pass, and no copy of a whole state.
class RecurrentBlock final : public StateReplay {
 public:
  // `weights` and `pool` outlive the block.
  RecurrentBlock(const TransformerShape& shape, const Weights& weights, kernels::Isa isa,
                 ThreadPool& pool);

  // For every pass, before its first layer: its rows, and the memory for them.
  void begin_pass(const kernels::DeltaRows& rows);
  // What is to be added to the residual stream, for normed rows [rows, hidden], which are
  // overwritten. `idx` counts the recurrent layers. `quantized` is scratch memory of at least the
  // kernels' quantized_bytes(). `charge` is told which part has been done. Inside a CpuScope.
  void run(int idx, RecurrentState& state, const at::Tensor& x, const at::Tensor& quantized,
           const std::function<void(PassPart)>& charge);

  void replay(RecurrentState& state, std::span<const int> path) const override;

 private:
  struct Buffers {
    at::Tensor mixed, convolved;  // float [rows, channels]
    at::Tensor gate, answers;     // float [rows, value_width]
    at::Tensor alpha, beta;       // float [rows, value_heads]
    at::Tensor mixed_and_gate;    // float [rows, channels + value_width]; may be undefined
    at::Tensor beta_and_alpha;    // float [rows, 2 * value_heads]; may be undefined
  };

  const RecurrenceWeights& weights(int idx) const;
  void project(const RecurrenceWeights& weights, const at::Tensor& x, const at::Tensor& quantized);
  void split_mixed_and_gate();
  void split_beta_and_alpha();
  void note_draft(DraftNotes& notes) const;
  void reserve(int rows);

  kernels::DeltaShape shape_;
  double epsilon_;
  const Weights& all_;
  std::vector<int> layers_;  // which of the model's layers are recurrent
  kernels::Isa isa_;
  ThreadPool& pool_;
  kernels::DeltaRows rows_;
  kernels::DeltaSteps steps_;
  int capacity_ = 0;
  Buffers memory_;
  Buffers now_;  // the pass's part of it
};

}  // namespace redraft
