#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "decoding/model/expert_block.h"
#include "decoding/model/operators.h"
#include "decoding/model/query_factors.h"
#include "decoding/model/transformer_memory.h"
#include "decoding/model/weights.h"
#include "decoding/pass_profile.h"

namespace redraft {

// What the layers of a transformer and its MTP block consist of: embedding, attention with rotary
// positions, and the feed-forward block. Every function runs inside a CpuScope.
class LayerBlocks {
 public:
  // `weights` outlives the blocks.
  LayerBlocks(const TransformerShape& shape, const Weights& weights)
      : shape_(shape),
        weights_(weights),
        experts_(shape),
        rope_(shape.rotated, shape.rope_base, shape.rope_scaling, shape.rope_divisors),
        window_rope_(window_rotated(shape), shape.window_rope_base, shape.window_rope_scaling, {}),
        query_factors_(shape) {}

  // From now on with other settings of attention: see SettingTrial.
  void set_settings(const TransformerShape& shape, std::optional<float> sink);
  // Null: no profile.
  void set_profile(PassProfile* profile) { profile_ = profile; }
  // Everything since the last charge was `part`.
  void charge(PassPart part) {
    if (profile_) profile_->charge(part);
  }
  // Before rows have these positions: 0..count-1.
  void reserve_positions(int count) {
    rope_.reserve(count);
    if (shape_.window > 0) window_rope_.reserve(count);
    query_factors_.reserve(count);
  }

  // out[r] = the embedding of ids[r].
  void embed(const at::Tensor& ids, const at::Tensor& out) const;
  // Both add to the residual stream, rows.hidden. `keys` and `values` are the layer's slots. With
  // tree.window the layer has a sliding window, and rotates as such layers do. A layer without a
  // matrix for keys reads what another one has stored there.
  void attention(const LayerWeights& layer, const PassRows& rows, const operators::TreeShape& tree,
                 const at::Tensor& keys, const at::Tensor& values);
  void feed_forward(const LayerWeights& layer, const PassRows& rows);
  // The part of attention() that later rows see: the keys and values of the stream `x`, in slots
  // `slot` and up. Overwrites rows.normed.
  void store_keys_and_values(const LayerWeights& layer, const at::Tensor& x, const PassRows& rows,
                             int slot, const at::Tensor& keys, const at::Tensor& values);

 private:
  // Adds the output of a block, rows.normed, to rows.hidden; `norm`, if there is one, first.
  void add_to_stream(const PassRows& rows, const at::Tensor& norm) const;
  // All dimensions of a head, or as many as in the other layers.
  static int window_rotated(const TransformerShape& shape) {
    return shape.window_head_dim > 0 ? shape.window_head_dim : shape.rotated;
  }
  // `weight` float [head_dim].
  void norm_heads(const at::Tensor& x, const at::Tensor& weight) const;
  void project(const LayerWeights& layer, const PassRows& rows, const AttentionRows& own);
  // `out` = what a feed-forward block makes of rows.normed, which may be `out`.
  void dense_block(const LayerWeights& layer, const PassRows& rows, const at::Tensor& out);
  static at::Tensor first_columns(const at::Tensor& rows, std::int64_t width);
  // rows.normed = the same of a dense block and of experts together.
  void mixed_block(const LayerWeights& layer, const PassRows& rows);
  static bool has_own_keys(const LayerWeights& layer) { return layer.key.n > 0; }
  void place_keys_and_values(const LayerWeights& layer, const PassRows& rows,
                             const AttentionRows& own, const RopeTable& rope, std::int64_t slot,
                             const at::Tensor& keys, const at::Tensor& values);

  TransformerShape shape_;
  const Weights& weights_;
  ExpertBlock experts_;  // of a mixture
  RopeTable rope_;
  RopeTable window_rope_;  // of layers with a window
  at::Tensor sinks_;       // float [heads], in place of the layers' own; undefined: those
  QueryFactors query_factors_;
  PassProfile* profile_ = nullptr;
};

}  // namespace redraft
