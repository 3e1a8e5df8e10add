#include "decoding/model/delta_block.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "decoding/model/activations.h"
#include "decoding/model/operators.h"

namespace redraft {
namespace {

float* floats(const at::Tensor& x) { return x.mutable_data_ptr<float>(); }

kernels::DeltaWeights delta_weights(const RecurrenceWeights& weights, double epsilon) {
  return {.decay = weights.decay.const_data_ptr<float>(),
          .decay_bias = weights.decay_bias.const_data_ptr<float>(),
          .norm = weights.norm.const_data_ptr<float>(),
          .epsilon = static_cast<float>(epsilon)};
}

// Copies `count` floats of every row: from `x` + its row * `x_width` to `y` + its row * `y_width`.
void copy_columns(const float* x, std::size_t x_width, float* y, std::size_t y_width, int rows,
                  std::size_t count) {
  for (int row = 0; row < rows; ++row, x += x_width, y += y_width) std::copy_n(x, count, y);
}

}  // namespace

DeltaBlock::DeltaBlock(const TransformerShape& shape, const Weights& weights, kernels::Isa isa,
                       ThreadPool& pool)
    : RecurrentBlock(shape, weights, isa, pool), shape_(shape.delta), epsilon_(shape.epsilon) {}

void DeltaBlock::begin_rows() {
  steps_ = kernels::delta_steps(rows());
  const auto first = [this](const at::Tensor& all) {
    return all.defined() ? all.narrow(0, 0, rows().count()) : all;
  };
  now_ = {.mixed = first(memory_.mixed),
          .convolved = first(memory_.convolved),
          .gate = first(memory_.gate),
          .answers = first(memory_.answers),
          .alpha = first(memory_.alpha),
          .beta = first(memory_.beta),
          .mixed_and_gate = first(memory_.mixed_and_gate),
          .beta_and_alpha = first(memory_.beta_and_alpha)};
}

void DeltaBlock::reserve(int rows) {
  const auto make = [rows](int width) { return at::empty({rows, width}, at::kFloat); };
  const bool joined = weights(0).mixed_and_gate.n > 0;
  memory_ = {
      .mixed = make(shape_.channels()),
      .convolved = make(shape_.channels()),
      .gate = make(shape_.value_width()),
      .answers = make(shape_.value_width()),
      .alpha = make(shape_.value_heads),
      .beta = make(shape_.value_heads),
      .mixed_and_gate = joined ? make(shape_.channels() + shape_.value_width()) : at::Tensor(),
      .beta_and_alpha =
          weights(0).beta_and_alpha.n > 0 ? make(2 * shape_.value_heads) : at::Tensor()};
}

void DeltaBlock::run(int idx, RecurrentState& state, const at::Tensor& x,
                     const at::Tensor& quantized, const std::function<void(PassPart)>& charge) {
  const RecurrenceWeights& weights = this->weights(idx);
  project(weights, x, quantized);
  charge(PassPart::kQueryKeyValue);
  convolve(idx, rows(), state.columns(idx), floats(now_.mixed), floats(now_.convolved));
  const kernels::DeltaInputs inputs{.convolved = floats(now_.convolved),
                                    .alpha = floats(now_.alpha),
                                    .beta = floats(now_.beta),
                                    .gate = floats(now_.gate)};
  kernels::delta_rule(isa(), shape_, delta_weights(weights, epsilon_), steps_, inputs,
                      state.heads(idx), floats(now_.answers), pool());
  keep(idx, state, now_.mixed);
  note_rows(now_.alpha, state.notes(idx).alpha);
  note_rows(now_.beta, state.notes(idx).beta);
  charge(PassPart::kAttention);
  const Activations answers(now_.answers, quantized, {&weights.output});
  charge(PassPart::kNorm);
  operators::linears({{weights.output, answers.of(weights.output), x}});
  charge(PassPart::kAttentionOutput);
}

void DeltaBlock::project(const RecurrenceWeights& weights, const at::Tensor& x,
                         const at::Tensor& quantized) {
  // The kernels read one form of the input for all weights that want it.
  const Activations input(x, quantized,
                          {&weights.mixed, &weights.gate, &weights.alpha, &weights.beta,
                           &weights.mixed_and_gate, &weights.beta_and_alpha});
  if (weights.mixed_and_gate.n > 0) {
    operators::linears(
        {{weights.mixed_and_gate, input.of(weights.mixed_and_gate), now_.mixed_and_gate}});
    split_mixed_and_gate();
  } else {
    operators::linears({{weights.mixed, input.of(weights.mixed), now_.mixed},
                        {weights.gate, input.of(weights.gate), now_.gate}});
  }
  if (weights.beta_and_alpha.n > 0) {
    operators::linears(
        {{weights.beta_and_alpha, input.of(weights.beta_and_alpha), now_.beta_and_alpha}});
    split_beta_and_alpha();
  } else {
    operators::linears({{weights.alpha, input.of(weights.alpha), now_.alpha},
                        {weights.beta, input.of(weights.beta), now_.beta}});
  }
}

// Each key head's query, key, values and gates follow each other.
void DeltaBlock::split_mixed_and_gate() {
  const int count = rows().count();
  const auto key = static_cast<std::size_t>(shape_.key_dim);
  const auto values = static_cast<std::size_t>(shape_.value_width() / shape_.key_heads);
  const auto channels = static_cast<std::size_t>(shape_.channels());
  const auto gates = static_cast<std::size_t>(shape_.value_width());
  for (int head = 0; head < shape_.key_heads; ++head) {
    const auto h = static_cast<std::size_t>(head);
    const float* const from = floats(now_.mixed_and_gate) + h * 2 * (key + values);
    const auto copy = [&](std::size_t first, float* to, std::size_t width, std::size_t wanted) {
      copy_columns(from + first, channels + gates, to, width, count, wanted);
    };
    float* const mixed = floats(now_.mixed);
    const auto key_width = static_cast<std::size_t>(shape_.key_width());
    copy(0, mixed + h * key, channels, key);
    copy(key, mixed + key_width + h * key, channels, key);
    copy(2 * key, mixed + 2 * key_width + h * values, channels, values);
    copy(2 * key + values, floats(now_.gate) + h * values, gates, values);
  }
}

// Those of each key head follow each other, too: first all of its betas.
void DeltaBlock::split_beta_and_alpha() {
  const int count = rows().count();
  const auto heads = static_cast<std::size_t>(shape_.value_heads);
  const auto shared = static_cast<std::size_t>(shape_.value_heads / shape_.key_heads);
  for (std::size_t first = 0; first < heads; first += shared) {
    const float* const from = floats(now_.beta_and_alpha) + 2 * first;
    copy_columns(from, 2 * heads, floats(now_.beta) + first, heads, count, shared);
    copy_columns(from + shared, 2 * heads, floats(now_.alpha) + first, heads, count, shared);
  }
}

void DeltaBlock::replay_rest(int idx, RecurrentState& state, std::span<const int> path,
                             const float* mixed) const {
  const auto heads = static_cast<std::size_t>(shape_.value_heads);
  const kernels::TreeRows chain{.context = static_cast<int>(path.size())};
  std::vector<float> convolved(path.size() * static_cast<std::size_t>(shape_.channels()));
  convolve(idx, chain, state.columns(idx), mixed, convolved.data());
  const DraftNotes& notes = state.notes(idx);
  const std::vector<float> alpha = noted(notes.alpha, path, heads);
  const std::vector<float> beta = noted(notes.beta, path, heads);
  const kernels::DeltaInputs inputs{
      .convolved = convolved.data(), .alpha = alpha.data(), .beta = beta.data(), .gate = nullptr};
  kernels::delta_rule(isa(), shape_, delta_weights(weights(idx), epsilon_),
                      kernels::delta_steps(chain), inputs, state.heads(idx), nullptr, pool());
}

}  // namespace redraft
