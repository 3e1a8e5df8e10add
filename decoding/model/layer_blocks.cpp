#include "decoding/model/layer_blocks.h"

#include <ATen/ops/full.h>

#include "decoding/model/activations.h"

namespace redraft {

void LayerBlocks::set_settings(const TransformerShape& shape, std::optional<float> sink) {
  shape_ = shape;
  rope_ = RopeTable(shape.rotated, shape.rope_base, shape.rope_scaling, shape.rope_divisors);
  window_rope_ =
      RopeTable(window_rotated(shape), shape.window_rope_base, shape.window_rope_scaling, {});
  sinks_ = sink ? at::full({shape.heads}, *sink, at::kFloat) : at::Tensor();
}

void LayerBlocks::embed(const at::Tensor& ids, const at::Tensor& out) const {
  if (weights_.embedding.defined()) {
    operators::embedding(weights_.embedding, weights_.embedding_format, ids, out);
  } else {
    operators::packed_embedding(weights_.head, ids, out);
  }
  if (shape_.embedding_scale != 1) operators::scale(out, shape_.embedding_scale);
}

// A layer without a matrix for values takes the keys for them, before their norm. One without a
// matrix for keys has queries only.
void LayerBlocks::project(const LayerWeights& layer, const PassRows& rows,
                          const AttentionRows& own) {
  const bool gated = shape_.architecture->gated_attention;
  const bool has_values = layer.value.n > 0;
  const LinearWeight& key_matrix = has_own_keys(layer) ? layer.key : layer.query;
  const Activations input(rows.normed, rows.quantized,
                          {&layer.query, &key_matrix, has_values ? &layer.value : &key_matrix});
  charge(PassPart::kNorm);
  const operators::Linear query{layer.query, input.of(layer.query),
                                gated ? rows.query_and_gate : own.query};
  const operators::Linear key{layer.key, input.of(layer.key), own.key};
  if (!has_own_keys(layer)) {
    operators::linears({query});
  } else if (has_values) {
    operators::linears({query, key, {layer.value, input.of(layer.value), own.value}});
  } else {
    operators::linears({query, key});
    own.value.copy_(own.key);
  }
  charge(PassPart::kQueryKeyValue);
  if (gated) {
    operators::split_gated_query(rows.query_and_gate, shape_.head_dim, own.query,
                                 rows.attention_gate);
  }
}

void LayerBlocks::attention(const LayerWeights& layer, const PassRows& rows,
                            const operators::TreeShape& tree, const at::Tensor& keys,
                            const at::Tensor& values) {
  operators::rms_norm(rows.hidden, layer.attention_norm, shape_.epsilon, rows.normed);
  const AttentionRows& own = tree.window > 0 ? rows.windowed : rows.full;
  project(layer, rows, own);
  if (shape_.architecture->query_key_norm) norm_heads(own.query, layer.query_norm);
  const RopeTable& rope = tree.window > 0 ? window_rope_ : rope_;
  if (layer.rotates)
    operators::rope(rope.cosines(), rope.sines(), rows.positions, own.query.size(1) / tree.heads,
                    own.query);
  if (query_factors_.differ_from_one())
    operators::scale_rows(own.query, query_factors_.values(), rows.positions);
  if (has_own_keys(layer))
    place_keys_and_values(layer, rows, own, rope, tree.committed, keys, values);
  charge(PassPart::kRope);
  operators::tree_attention(own.query, keys, values, rows.parents,
                            sinks_.defined() ? sinks_ : layer.sinks, tree, own.attended);
  if (shape_.architecture->gated_attention)
    operators::gate_by_sigmoid(own.attended, rows.attention_gate);
  charge(PassPart::kAttention);
  const Activations attended(own.attended, rows.quantized, {&layer.attention_output});
  charge(PassPart::kNorm);
  operators::linears({{layer.attention_output, attended.of(layer.attention_output), rows.normed}});
  charge(PassPart::kAttentionOutput);
  add_to_stream(rows, layer.attention_post_norm);
  charge(PassPart::kNorm);
}

void LayerBlocks::feed_forward(const LayerWeights& layer, const PassRows& rows) {
  operators::rms_norm(rows.hidden, layer.feed_forward_norm, shape_.epsilon, rows.normed);
  if (layer.experts.empty()) {
    dense_block(layer, rows, rows.normed);
  } else if (layer.expert_norm.defined()) {
    mixed_block(layer, rows);
  } else {
    charge(PassPart::kNorm);
    experts_.run(layer, rows.normed, rows.normed, rows.quantized, rows.normed,
                 [this](PassPart part) { charge(part); });
  }
  add_to_stream(rows, layer.feed_forward_post_norm);
  charge(PassPart::kNorm);
}

void LayerBlocks::dense_block(const LayerWeights& layer, const PassRows& rows,
                              const at::Tensor& out) {
  const Activations input(rows.normed, rows.quantized, {&layer.gate, &layer.up});
  const at::Tensor gate = first_columns(rows.gate, layer.gate.n);
  const at::Tensor up = first_columns(rows.up, layer.up.n);
  charge(PassPart::kNorm);
  operators::linears(
      {{layer.gate, input.of(layer.gate), gate}, {layer.up, input.of(layer.up), up}});
  charge(PassPart::kGateUp);
  activate(shape_.architecture->activation, gate, up);
  const Activations active(gate, rows.quantized, {&layer.down});
  charge(PassPart::kActivation);
  operators::linears({{layer.down, active.of(layer.down), out}});
  charge(PassPart::kDown);
}

// The same memory as rows of another width, at most as wide.
at::Tensor LayerBlocks::first_columns(const at::Tensor& rows, std::int64_t width) {
  if (rows.size(1) == width) return rows;
  const std::int64_t count = rows.size(0);
  return rows.view({-1}).narrow(0, 0, count * width).view({count, width});
}

// The router, the experts and the dense block each read the stream through a norm of their own.
void LayerBlocks::mixed_block(const LayerWeights& layer, const PassRows& rows) {
  dense_block(layer, rows, rows.branch);
  operators::rms_norm(rows.branch, layer.dense_post_norm, shape_.epsilon, rows.branch);
  operators::rms_norm(rows.hidden, layer.router_norm, shape_.epsilon, rows.routed);
  operators::rms_norm(rows.hidden, layer.expert_norm, shape_.epsilon, rows.normed);
  charge(PassPart::kNorm);
  experts_.run(layer, rows.routed, rows.normed, rows.quantized, rows.normed,
               [this](PassPart part) { charge(part); });
  operators::rms_norm(rows.normed, layer.expert_post_norm, shape_.epsilon, rows.normed);
  operators::add(rows.normed, rows.branch);
}

void LayerBlocks::store_keys_and_values(const LayerWeights& layer, const at::Tensor& x,
                                        const PassRows& rows, int slot, const at::Tensor& keys,
                                        const at::Tensor& values) {
  operators::rms_norm(x, layer.attention_norm, shape_.epsilon, rows.normed);
  const Activations input(rows.normed, rows.quantized, {&layer.key, &layer.value});
  charge(PassPart::kNorm);
  operators::linears({{layer.key, input.of(layer.key), rows.full.key},
                      {layer.value, input.of(layer.value), rows.full.value}});
  charge(PassPart::kQueryKeyValue);
  place_keys_and_values(layer, rows, rows.full, rope_, slot, keys, values);
  charge(PassPart::kRope);
}

void LayerBlocks::place_keys_and_values(const LayerWeights& layer, const PassRows& rows,
                                        const AttentionRows& own, const RopeTable& rope,
                                        std::int64_t slot, const at::Tensor& keys,
                                        const at::Tensor& values) {
  if (shape_.architecture->query_key_norm) norm_heads(own.key, layer.key_norm);
  if (layer.value_norm.defined()) norm_heads(own.value, layer.value_norm);
  if (layer.rotates)
    operators::rope(rope.cosines(), rope.sines(), rows.positions, own.key.size(1) / keys.size(0),
                    own.key);
  operators::store_rows(own.key, slot, keys);
  operators::store_rows(own.value, slot, values);
}

void LayerBlocks::add_to_stream(const PassRows& rows, const at::Tensor& norm) const {
  if (norm.defined()) operators::rms_norm(rows.normed, norm, shape_.epsilon, rows.normed);
  if (shape_.residual_scale == 1) {
    operators::add(rows.hidden, rows.normed);
  } else {
    operators::add_scaled(rows.hidden, rows.normed, shape_.residual_scale);
  }
}

void LayerBlocks::norm_heads(const at::Tensor& x, const at::Tensor& weight) const {
  const at::Tensor heads = x.view({-1, weight.size(0)});
  operators::rms_norm(heads, weight, shape_.epsilon, heads);
}

}  // namespace redraft
