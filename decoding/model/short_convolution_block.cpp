#include "decoding/model/short_convolution_block.h"

#include <ATen/ops/empty.h>

#include "decoding/model/activations.h"
#include "decoding/model/operators.h"

namespace redraft {

ShortConvolutionBlock::ShortConvolutionBlock(const TransformerShape& shape, const Weights& weights,
                                             kernels::Isa isa, ThreadPool& pool)
    : RecurrentBlock(shape, weights, isa, pool), hidden_(shape.hidden) {}

void ShortConvolutionBlock::reserve(int rows) {
  const auto make = [rows](int width) { return at::empty({rows, width}, at::kFloat); };
  memory_ = {.projected = make(3 * hidden_), .mixed = make(hidden_), .convolved = make(hidden_)};
}

void ShortConvolutionBlock::begin_rows() {
  const auto first = [this](const at::Tensor& all) { return all.narrow(0, 0, rows().count()); };
  now_ = {.projected = first(memory_.projected),
          .mixed = first(memory_.mixed),
          .convolved = first(memory_.convolved)};
}

void ShortConvolutionBlock::run(int idx, RecurrentState& state, const at::Tensor& x,
                                const at::Tensor& quantized,
                                const std::function<void(PassPart)>& charge) {
  const RecurrenceWeights& weights = this->weights(idx);
  const Activations input(x, quantized, {&weights.gates_and_input});
  operators::linears(
      {{weights.gates_and_input, input.of(weights.gates_and_input), now_.projected}});
  charge(PassPart::kQueryKeyValue);
  const auto part = [this](int which) {
    return kernels::PitchedRows{now_.projected.const_data_ptr<float>() + which * hidden_,
                                3 * hidden_};
  };
  auto* const mixed = now_.mixed.mutable_data_ptr<float>();
  auto* const convolved = now_.convolved.mutable_data_ptr<float>();
  kernels::multiply_rows(isa(), part(0), part(2), rows().count(), hidden_, mixed, pool());
  convolve(idx, rows(), state.columns(idx), mixed, convolved);
  kernels::multiply_rows(isa(), part(1), {convolved, hidden_}, rows().count(), hidden_, convolved,
                         pool());
  keep(idx, state, now_.mixed);
  charge(PassPart::kAttention);
  const Activations gated(now_.convolved, quantized, {&weights.output});
  charge(PassPart::kNorm);
  operators::linears({{weights.output, gated.of(weights.output), x}});
  charge(PassPart::kAttentionOutput);
}

}  // namespace redraft
