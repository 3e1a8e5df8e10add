#include "decoding/model/layer_blocks.h"

#include "decoding/model/activations.h"

namespace redraft {

void LayerBlocks::embed(const at::Tensor& ids, const at::Tensor& out) const {
  if (weights_.embedding.defined()) {
    operators::embedding(weights_.embedding, weights_.embedding_format, ids, out);
  } else {
    operators::packed_embedding(weights_.head, ids, out);
  }
  if (shape_.embedding_scale != 1) operators::scale(out, shape_.embedding_scale);
}

void LayerBlocks::attention(const LayerWeights& layer, const PassRows& rows,
                            const operators::TreeShape& tree, const at::Tensor& keys,
                            const at::Tensor& values) {
  operators::rms_norm(rows.hidden, layer.attention_norm, shape_.epsilon, rows.normed);
  const Activations input(rows.normed, rows.quantized, {&layer.query, &layer.key, &layer.value});
  charge(PassPart::kNorm);
  const bool gated = shape_.architecture->gated_attention;
  operators::linears(
      {{layer.query, input.of(layer.query), gated ? rows.query_and_gate : rows.query},
       {layer.key, input.of(layer.key), rows.key},
       {layer.value, input.of(layer.value), rows.value}});
  charge(PassPart::kQueryKeyValue);
  if (gated) {
    operators::split_gated_query(rows.query_and_gate, shape_.head_dim, rows.query,
                                 rows.attention_gate);
  }
  if (shape_.architecture->query_key_norm) norm_heads(rows.query, layer.query_norm);
  const RopeTable& rope = tree.window > 0 ? window_rope_ : rope_;
  if (layer.rotates)
    operators::rope(rope.cosines(), rope.sines(), rows.positions, shape_.head_dim, rows.query);
  if (query_factors_.differ_from_one())
    operators::scale_rows(rows.query, query_factors_.values(), rows.positions);
  place_keys_and_values(layer, rows, rope, tree.committed, keys, values);
  charge(PassPart::kRope);
  operators::tree_attention(rows.query, keys, values, rows.parents, layer.sinks, tree,
                            rows.attended);
  if (gated) operators::gate_by_sigmoid(rows.attended, rows.attention_gate);
  charge(PassPart::kAttention);
  const Activations attended(rows.attended, rows.quantized, {&layer.attention_output});
  charge(PassPart::kNorm);
  operators::linears({{layer.attention_output, attended.of(layer.attention_output), rows.normed}});
  charge(PassPart::kAttentionOutput);
  add_to_stream(rows);
  charge(PassPart::kNorm);
}

void LayerBlocks::feed_forward(const LayerWeights& layer, const PassRows& rows) {
  operators::rms_norm(rows.hidden, layer.feed_forward_norm, shape_.epsilon, rows.normed);
  if (shape_.experts > 0) {
    charge(PassPart::kNorm);
    experts_.run(layer, rows.normed, rows.quantized, rows.normed,
                 [this](PassPart part) { charge(part); });
    add_to_stream(rows);
    return charge(PassPart::kNorm);
  }
  const Activations input(rows.normed, rows.quantized, {&layer.gate, &layer.up});
  charge(PassPart::kNorm);
  operators::linears(
      {{layer.gate, input.of(layer.gate), rows.gate}, {layer.up, input.of(layer.up), rows.up}});
  charge(PassPart::kGateUp);
  operators::silu_mul(rows.gate, rows.up);
  const Activations active(rows.gate, rows.quantized, {&layer.down});
  charge(PassPart::kActivation);
  operators::linears({{layer.down, active.of(layer.down), rows.normed}});
  charge(PassPart::kDown);
  add_to_stream(rows);
  charge(PassPart::kNorm);
}

void LayerBlocks::store_keys_and_values(const LayerWeights& layer, const at::Tensor& x,
                                        const PassRows& rows, int slot, const at::Tensor& keys,
                                        const at::Tensor& values) {
  operators::rms_norm(x, layer.attention_norm, shape_.epsilon, rows.normed);
  const Activations input(rows.normed, rows.quantized, {&layer.key, &layer.value});
  charge(PassPart::kNorm);
  operators::linears({{layer.key, input.of(layer.key), rows.key},
                      {layer.value, input.of(layer.value), rows.value}});
  charge(PassPart::kQueryKeyValue);
  place_keys_and_values(layer, rows, rope_, slot, keys, values);
  charge(PassPart::kRope);
}

void LayerBlocks::place_keys_and_values(const LayerWeights& layer, const PassRows& rows,
                                        const RopeTable& rope, std::int64_t slot,
                                        const at::Tensor& keys, const at::Tensor& values) {
  if (shape_.architecture->query_key_norm) norm_heads(rows.key, layer.key_norm);
  if (layer.rotates)
    operators::rope(rope.cosines(), rope.sines(), rows.positions, shape_.head_dim, rows.key);
  operators::store_rows(rows.key, slot, keys);
  operators::store_rows(rows.value, slot, values);
}

void LayerBlocks::add_to_stream(const PassRows& rows) const {
  if (shape_.residual_scale == 1) {
    operators::add(rows.hidden, rows.normed);
  } else {
    operators::add_scaled(rows.hidden, rows.normed, shape_.residual_scale);
  }
}

void LayerBlocks::norm_heads(const at::Tensor& x, const at::Tensor& weight) const {
  const at::Tensor heads = x.view({-1, shape_.head_dim});
  operators::rms_norm(heads, weight, shape_.epsilon, heads);
}

}  // namespace redraft
