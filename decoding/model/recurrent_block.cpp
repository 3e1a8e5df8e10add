#include "decoding/model/recurrent_block.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cassert>
#include <cstddef>

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

RecurrentBlock::RecurrentBlock(const TransformerShape& shape, const Weights& weights,
                               kernels::Isa isa, ThreadPool& pool)
    : shape_(shape.delta), epsilon_(shape.epsilon), all_(weights), isa_(isa), pool_(pool) {
  for (int i = 0; i < shape.layers; ++i) {
    if (shape.is_recurrent(i)) layers_.push_back(i);
  }
}

const RecurrenceWeights& RecurrentBlock::weights(int idx) const {
  const int layer = layers_[static_cast<std::size_t>(idx)];
  return all_.layers[static_cast<std::size_t>(layer)].recurrence;
}

void RecurrentBlock::begin_pass(const kernels::DeltaRows& rows) {
  if (layers_.empty()) return;
  rows_ = rows;
  steps_ = kernels::delta_steps(rows);
  reserve(rows.count());
  const auto first = [&](const at::Tensor& all) {
    return all.defined() ? all.narrow(0, 0, rows.count()) : all;
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

void RecurrentBlock::reserve(int rows) {
  if (rows <= capacity_) return;
  capacity_ = 0;  // so that a failed allocation leaves nothing half valid
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
  capacity_ = rows;
}

void RecurrentBlock::run(int idx, RecurrentState& state, const at::Tensor& x,
                         const at::Tensor& quantized, const std::function<void(PassPart)>& charge) {
  const RecurrenceWeights& weights = this->weights(idx);
  project(weights, x, quantized);
  charge(PassPart::kQueryKeyValue);
  float* const mixed = floats(now_.mixed);
  kernels::causal_convolution(isa_, shape_, weights.convolution.const_data_ptr<float>(), rows_,
                              state.columns(idx), mixed, floats(now_.convolved), pool_);
  const kernels::DeltaInputs inputs{.convolved = floats(now_.convolved),
                                    .alpha = floats(now_.alpha),
                                    .beta = floats(now_.beta),
                                    .gate = floats(now_.gate)};
  kernels::delta_rule(isa_, shape_, delta_weights(weights, epsilon_), steps_, inputs,
                      state.heads(idx), floats(now_.answers), pool_);
  std::vector<const float*> context;
  for (int row = std::max(0, rows_.context - shape_.saved_columns()); row < rows_.context; ++row)
    context.push_back(mixed + static_cast<std::size_t>(row) * shape_.channels());
  kernels::advance_columns(shape_, context, state.columns(idx));
  note_draft(state.notes(idx));
  charge(PassPart::kAttention);
  const Activations answers(now_.answers, quantized, {&weights.output});
  charge(PassPart::kNorm);
  operators::linears({{weights.output, answers.of(weights.output), x}});
  charge(PassPart::kAttentionOutput);
}

void RecurrentBlock::project(const RecurrenceWeights& weights, const at::Tensor& x,
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
void RecurrentBlock::split_mixed_and_gate() {
  const int rows = rows_.count();
  const auto key = static_cast<std::size_t>(shape_.key_dim);
  const auto values = static_cast<std::size_t>(shape_.value_width() / shape_.key_heads);
  const auto channels = static_cast<std::size_t>(shape_.channels());
  const auto gates = static_cast<std::size_t>(shape_.value_width());
  for (int head = 0; head < shape_.key_heads; ++head) {
    const auto h = static_cast<std::size_t>(head);
    const float* const from = floats(now_.mixed_and_gate) + h * 2 * (key + values);
    const auto copy = [&](std::size_t first, float* to, std::size_t width, std::size_t count) {
      copy_columns(from + first, channels + gates, to, width, rows, count);
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
void RecurrentBlock::split_beta_and_alpha() {
  const int rows = rows_.count();
  const auto heads = static_cast<std::size_t>(shape_.value_heads);
  const auto shared = static_cast<std::size_t>(shape_.value_heads / shape_.key_heads);
  for (std::size_t first = 0; first < heads; first += shared) {
    const float* const from = floats(now_.beta_and_alpha) + 2 * first;
    copy_columns(from, 2 * heads, floats(now_.beta) + first, heads, rows, shared);
    copy_columns(from + shared, 2 * heads, floats(now_.alpha) + first, heads, rows, shared);
  }
}

void RecurrentBlock::note_draft(DraftNotes& notes) const {
  const auto take = [this](const at::Tensor& rows, std::vector<float>& to) {
    const auto width = static_cast<std::size_t>(rows.size(1));
    const float* const from =
        rows.const_data_ptr<float>() + static_cast<std::size_t>(rows_.context) * width;
    to.assign(from, from + rows_.parents.size() * width);
  };
  take(now_.mixed, notes.mixed);
  take(now_.alpha, notes.alpha);
  take(now_.beta, notes.beta);
}

void RecurrentBlock::replay(RecurrentState& state, std::span<const int> path) const {
  const auto channels = static_cast<std::size_t>(shape_.channels());
  const auto heads = static_cast<std::size_t>(shape_.value_heads);
  const kernels::DeltaRows chain{.context = static_cast<int>(path.size())};
  const kernels::DeltaSteps steps = kernels::delta_steps(chain);
  std::vector<float> mixed(path.size() * channels), convolved(path.size() * channels);
  std::vector<float> alpha(path.size() * heads), beta(path.size() * heads);
  for (int idx = 0; idx < state.layers(); ++idx) {
    const RecurrenceWeights& weights = this->weights(idx);
    const DraftNotes& notes = state.notes(idx);
    std::vector<const float*> rows;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto node = static_cast<std::size_t>(path[i]);
      std::copy_n(&notes.mixed[node * channels], channels, &mixed[i * channels]);
      std::copy_n(&notes.alpha[node * heads], heads, &alpha[i * heads]);
      std::copy_n(&notes.beta[node * heads], heads, &beta[i * heads]);
      rows.push_back(&mixed[i * channels]);
    }
    kernels::causal_convolution(isa_, shape_, weights.convolution.const_data_ptr<float>(), chain,
                                state.columns(idx), mixed.data(), convolved.data(), pool_);
    const kernels::DeltaInputs inputs{
        .convolved = convolved.data(), .alpha = alpha.data(), .beta = beta.data(), .gate = nullptr};
    kernels::delta_rule(isa_, shape_, delta_weights(weights, epsilon_), steps, inputs,
                        state.heads(idx), nullptr, pool_);
    kernels::advance_columns(shape_, rows, state.columns(idx));
  }
}

}  // namespace redraft
