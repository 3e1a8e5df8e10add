#include "decoding/model/layer_inputs.h"

#include <cmath>

#include "decoding/model/activations.h"
#include "decoding/model/operators.h"

namespace redraft {

void LayerInputs::read(const PassRows& rows) const {
  const LayerInputWeights& weights = weights_.layer_inputs;
  operators::embedding(weights.embedding, weights.format, rows.ids, rows.layer_inputs);
  operators::scale(rows.layer_inputs, std::sqrt(shape_.layer_input));

  const Activations embedded(rows.hidden, rows.quantized, {&weights.projection});
  operators::linears(
      {{weights.projection, embedded.of(weights.projection), rows.layer_projection}});
  operators::scale(rows.layer_projection, 1 / std::sqrt(shape_.hidden));
  const at::Tensor parts = rows.layer_projection.view({-1, shape_.layer_input});
  operators::rms_norm(parts, weights.norm, shape_.epsilon, parts);

  operators::add(rows.layer_inputs, rows.layer_projection);
  operators::scale(rows.layer_inputs, std::sqrt(0.5));
}

void LayerInputs::add(int number, const PassRows& rows) const {
  const LayerWeights& layer = weights_.layers[static_cast<std::size_t>(number)];
  const auto begin = std::int64_t{number} * shape_.layer_input;
  rows.layer_input.copy_(rows.layer_inputs.narrow(1, begin, shape_.layer_input));
  const Activations stream(rows.hidden, rows.quantized, {&layer.input_gate});
  operators::linears({{layer.input_gate, stream.of(layer.input_gate), rows.layer_gate}});
  activate(shape_.architecture->activation, rows.layer_gate, rows.layer_input);
  const Activations gated(rows.layer_gate, rows.quantized, {&layer.input_projection});
  operators::linears({{layer.input_projection, gated.of(layer.input_projection), rows.normed}});
  operators::rms_norm(rows.normed, layer.input_post_norm, shape_.epsilon, rows.normed);
  operators::add(rows.hidden, rows.normed);
}

}  // namespace redraft
