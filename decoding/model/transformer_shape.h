#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/kernels/delta_rule.h"
#include "decoding/model/architecture.h"
#include "decoding/model/gguf.h"
#include "decoding/model/rope_scaling.h"
#include "support/result.h"

namespace redraft {

// The heads of a layer's attention.
struct AttentionHeads {
  int heads = 0;     // of queries
  int kv_heads = 0;  // divides heads
  int head_dim = 0;  // a multiple of 16

  int query_width() const { return heads * head_dim; }
  int kv_width() const { return kv_heads * head_dim; }
};

// What a model's files say about its transformer: its architecture, and the numbers that models of
// one architecture differ in.
struct TransformerShape {
  const Architecture* architecture = nullptr;  // never null in a shape that was read
  int layers = 0;
  int context_length = 0;
  int hidden = 0;        // width of a row between layers
  int feed_forward = 0;  // width inside the feed-forward block; of a mixture inside each expert
  int heads = 0;         // query heads
  int kv_heads = 0;      // divides heads
  int head_dim = 0;      // a multiple of 16; heads * head_dim may differ from hidden
  int vocabulary = 0;
  double epsilon = 0;                     // of the norms
  double rope_base = 0;                   // of the rotary frequencies
  RopeScaling rope_scaling = {};          // how they are stretched
  std::vector<float> rope_divisors = {};  // divisor of each frequency, [rotated / 2]; empty: all 1
  int rotated = 0;  // dimensions of a head that are rotated: the first ones; even, at most head_dim
  // [layers]: which layers do not rotate their queries and keys. Empty: all layers do.
  std::vector<bool> unrotated = {};
  // A query at position p is multiplied by
  // 1 + temperature_scale * ln(1 + floor(p / temperature_span)).
  double temperature_scale = 0;
  int temperature_span = 0;    // positions; at least 1 if the scale is not 0
  double embedding_scale = 1;  // factor of embeddings
  double residual_scale = 1;   // factor of what a block adds to its row
  double attention_scale = 0;  // factor of scores; 0: 1 / sqrt(head_dim)
  double logit_divisor = 1;    // divides the head's outputs
  // Logits are cap * tanh(logit / cap), which leaves their order; 0: there is no cap.
  double logit_cap = 0;
  // The rows of query and key matrices are ordered in the file so that pairs of neighbours rotate
  // together. The kernels rotate dimension i with i + head_dim / 2, so such rows are reordered when
  // they are loaded.
  bool paired_rows = false;
  // In a mixture, each layer has `experts` small feed-forward blocks. Each row goes to the
  // `experts_used` that the layer's router scores highest, weighted by the softmax of those scores.
  // 0: the blocks are dense.
  int experts = 0;
  int experts_used = 0;  // 1..experts
  // [layers]: the width inside each layer's dense block. Empty: that of all is feed_forward, which
  // otherwise is the largest.
  std::vector<int> feed_forward_widths = {};
  // The width of a dense block beside a layer's experts; 0: there is none.
  int dense_feed_forward = 0;
  // The width of the shared expert, which every row goes to; 0: there is none.
  int shared_feed_forward = 0;
  // In a hybrid, [layers]: which layers have a recurrent state in place of attention. Empty: every
  // layer has attention.
  std::vector<bool> recurrent = {};
  kernels::DeltaShape delta = {};  // of those that are Gated DeltaNets
  int short_taps = 0;              // width over time of those that are short convolutions
  // [layers]: which layers have a sliding window. Empty: none. A row of theirs sees the last
  // `window` positions of its path only, itself included, and is rotated in their own way.
  std::vector<bool> windowed = {};
  int window = 0;  // at least 1, if any layer has one
  double window_rope_base = 0;
  RopeScaling window_rope_scaling = {};
  // Their heads; 0: as many and as wide as those of the other layers.
  int window_kv_heads = 0;
  int window_head_dim = 0;
  // Layers from this one on have no keys and values of their own: they read those of the last layer
  // before it that has a window, or has none, as they do. 0: every layer has its own.
  int sharing_from = 0;
  // The width of an input of its own that each layer has of every token (LayerInputs); 0: none has.
  int layer_input = 0;
  // MTP blocks (multi-token prediction). They follow the layers; only the first one is loaded.
  int mtp_blocks = 0;
  // The conventions of Hugging Face's files for hybrids: norms are stored less 1, except for that
  // of the recurrent layers, and decays as the logarithm of their negative.
  bool stored_as_trained = false;

  // False for an MTP block.
  bool is_recurrent(int layer) const {
    const auto at = static_cast<std::size_t>(layer);
    return at < recurrent.size() && recurrent[at];
  }
  bool has_window(int layer) const {
    const auto at = static_cast<std::size_t>(layer);
    return at < windowed.size() && windowed[at];
  }
  // True for an MTP block.
  bool rotates(int layer) const {
    const auto at = static_cast<std::size_t>(layer);
    return at >= unrotated.size() || !unrotated[at];
  }
  bool shares_keys(int layer) const { return sharing_from > 0 && layer >= sharing_from; }
  bool has_own_keys(int layer) const { return !is_recurrent(layer) && !shares_keys(layer); }
  // For a layer that shares: the one whose keys and values it reads; -1: there is none.
  int source_of_keys(int layer) const;
  // The width inside a layer's dense block where there are no experts.
  int feed_forward_of(int layer) const {
    const auto at = static_cast<std::size_t>(layer);
    return at < feed_forward_widths.size() ? feed_forward_widths[at] : feed_forward;
  }
  // The inputs of all layers together.
  int layer_inputs() const { return layers * layer_input; }
  int attention_layers() const {
    return layers - static_cast<int>(std::count(recurrent.begin(), recurrent.end(), true));
  }
  // The convolution of a recurrent layer.
  kernels::ConvolutionShape convolution() const {
    if (architecture->has_delta_nets()) return delta.convolution();
    return {.channels = hidden, .taps = short_taps};
  }
  // For the layers with a window, or for those without.
  AttentionHeads attention_heads(bool has_window) const {
    AttentionHeads all{heads, kv_heads, head_dim};
    if (has_window && window_kv_heads > 0) all.kv_heads = window_kv_heads;
    if (has_window && window_head_dim > 0) all.head_dim = window_head_dim;
    return all;
  }
  bool windows_have_other_heads() const { return window_kv_heads > 0 || window_head_dim > 0; }
  // For the layers without a window.
  int query_width() const { return attention_heads(false).query_width(); }
  int kv_width() const { return attention_heads(false).kv_width(); }
};

// A number that this build cannot compute with: its name in GGUF's words, as in
// "attention.head_count_kv", and the reason.
struct ShapeProblem {
  std::string_view field;
  std::string reason;
};
// Checks a shape that comes from a file: counts are in a sane range, heads divide evenly and have a
// width that the kernels support, and scaling stretches by a finite factor.
std::optional<ShapeProblem> find_problem(const TransformerShape& shape);

// Marks the last of every `every` layers as not rotated; every > 0.
void leave_unrotated(TransformerShape& shape, int every);

// Whether a tensor with this role ("blk.3.attn_q.bias") is used by a transformer of this shape. A
// model with any other tensor would be computed incompletely.
bool has_role(std::string_view role, const TransformerShape& shape);

// The shape of a GGUF file, free of problems. The error names what is not supported, or the key or
// tensor that is wrong. Settings that would change the result but are not implemented are refused,
// not ignored.
Result<TransformerShape> read_shape(const GgufFile& file);

}  // namespace redraft
