#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>

#include "decoding/kernels/delta_rule.h"
#include "decoding/model/recurrent_block.h"

namespace redraft {

// Recurrent layers that are Gated DeltaNets (decoding/kernels/delta_rule.h), with their
// projections.
class DeltaBlock final : public RecurrentBlock {
 public:
  DeltaBlock(const TransformerShape& shape, const Weights& weights, kernels::Isa isa,
             ThreadPool& pool);

  void run(int idx, RecurrentState& state, const at::Tensor& x, const at::Tensor& quantized,
           const std::function<void(PassPart)>& charge) override;

 private:
  struct Buffers {
    at::Tensor mixed, convolved;  // float [rows, channels]
    at::Tensor gate, answers;     // float [rows, value_width]
    at::Tensor alpha, beta;       // float [rows, value_heads]
    at::Tensor mixed_and_gate;    // float [rows, channels + value_width]; may be undefined
    at::Tensor beta_and_alpha;    // float [rows, 2 * value_heads]; may be undefined
  };

  void reserve(int rows) override;
  void begin_rows() override;
  void replay_rest(int idx, RecurrentState& state, std::span<const int> path,
                   const float* mixed) const override;

  void project(const RecurrenceWeights& weights, const at::Tensor& x, const at::Tensor& quantized);
  void split_mixed_and_gate();
  void split_beta_and_alpha();

  kernels::DeltaShape shape_;
  double epsilon_;
  kernels::DeltaSteps steps_;
  Buffers memory_;
  Buffers now_;  // the pass's part of it
};

}  // namespace redraft
