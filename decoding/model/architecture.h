#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redraft {

// Where a tensor occurs: once in a model, once in each layer, once in each layer with attention,
// with a recurrent state or with experts, or once for each expert of a layer. The last two are
// kModel and kLayer of models whose layers have inputs of their own
// (TransformerShape::layer_input).
enum class TensorPlace {
  kModel,
  kLayer,
  kAttention,
  kRecurrent,
  kMixture,
  kExpert,
  kInputOfLayers,
  kInputOfLayer,
};

// A tensor that a model of an architecture may have.
struct TensorName {
  TensorPlace place;
  // Its role (ModelFiles), which is GGUF's name, without "blk.3." and ".weight": "attn_q".
  std::string_view role;
  // Its name in Hugging Face's files, without "model.layers.3." or "model.layers.3.mlp.experts.5."
  // and without ".weight": "self_attn.q_proj". Empty: those files do not have it.
  std::string_view huggingface;
  bool may_have_bias = false;
  // Both names are complete: ".weight" does not follow them ("ssm_a", "linear_attn.A_log").
  bool is_complete = false;
};

// A key of GGUF metadata, without the architecture's prefix, that changes what a pass computes in
// a way that redraft does not implement. A file may have it only with the value that changes
// nothing.
struct RefusedKey {
  std::string_view name;
  std::string_view what;  // completes "asks for …"
  double neutral;
};

// What makes gates of a feed-forward block's first projection.
enum class Activation {
  kSilu,
  kClampedSilu,  // kernels::clamped_silu_mul()
  kGelu,         // kernels::gelu_mul()
};

// What the layers of a hybrid that have no attention compute instead.
enum class Recurrence {
  kNone,              // every layer has attention
  kGatedDeltaNet,     // decoding/kernels/delta_rule.h
  kShortConvolution,  // (x B) convolved over a few rows, times C; B, C and x are projections
};

// What distinguishes one architecture from the others, apart from the numbers in a model's files
// (TransformerShape). The loaders, the transformers and the trainer read this row; nothing compares
// the name. Every architecture is a stack of layers of RMS norm, attention with rotary embeddings,
// RMS norm and a gated feed-forward block, with residual sums. In a hybrid, most layers have a
// recurrent state in place of attention.
struct Architecture {
  std::string_view name;         // general.architecture of GGUF files; the prefix of their keys
  std::string_view huggingface;  // model_type of config.json
  // GGUF files order the rows of query and key matrices so that neighbours rotate together
  // (TransformerShape::paired_rows).
  bool pairs_neighbours = false;
  bool query_key_norm = false;  // each head of queries and keys is normalised before rotation
  // The feed-forward block of every layer is a mixture of experts.
  bool is_mixture = false;
  Activation activation = Activation::kSilu;
  // Values are normalised as keys are, without a weight; a layer without a matrix for them takes
  // its keys before their norm.
  bool norms_values = false;
  // What a block adds to the stream is normalised first, and a layer's output may be scaled.
  bool post_norms = false;
  // Embeddings are multiplied by the square root of their width.
  bool scales_embeddings = false;
  // Factor of scores where a file does not say; 0: 1 / sqrt(head_dim).
  double attention_scale = 0;
  // GGUF files may name a cap of the logits (TransformerShape::logit_cap).
  bool caps_logits = false;
  // Each head has a score that takes part in the softmax of its attention without a value.
  bool has_sinks = false;
  // The bounds between which YaRN blends are rounded, where a file does not say.
  bool rounds_yarn = true;
  // GGUF files may name experts, which then stand beside the dense block of every layer.
  bool may_have_experts = false;
  // GGUF files may give each layer an input of its own (TransformerShape::layer_input) and a width
  // of its feed-forward block, and let layers read the keys and values of others.
  bool may_differ_by_layer = false;
  // The experts of a mixture are joined by one that every row goes to, scaled by a gate.
  bool shared_expert = false;
  Recurrence recurrence = Recurrence::kNone;
  // GGUF files of a hybrid order the value heads so that head h reads key head h % key_heads.
  bool tiles_value_heads = false;
  // Layers may have a sliding window. Where a GGUF file does not list them, all do but every n-th
  // one. 0: no layer may.
  int unwindowed_every = 0;
  // Layers with a window are rotated with the scaling of the others.
  bool scales_window_rope = false;
  // A gate for each dimension of a head's output follows its query in the query matrix.
  bool gated_attention = false;
  // The last of every so many layers does not rotate its queries and keys; 0: all layers do. A
  // folder may name other layers (TransformerShape::unrotated).
  int unrotated_every = 0;
  // Queries may grow with the logarithm of their position (TransformerShape::temperature_scale),
  // and YaRN may have a log multiplier.
  bool query_temperature = false;
  // Embeddings, what a block adds to its row, scores and logits have scales of their own. A GGUF
  // file may switch rotation off.
  bool has_scales = false;
  // Folders may hold it as the text part of a model that sees, whose other parts are not loaded.
  bool may_see = false;
  // The roles of the norm before the feed-forward block, and of that behind the last layer.
  std::string_view feed_forward_norm = "ffn_norm";
  std::string_view output_norm = "output_norm";
  // The only value that config.json may have for hidden_act, and its key for the norms' epsilon.
  std::string_view hidden_act = "silu";
  std::string_view epsilon_key = "rms_norm_eps";
  // What holds if config.json does not say it.
  bool norm_topk_prob = false;  // the shares of a mixture's experts add up to 1
  double rope_base = 10000;
  bool tied_head = false;  // the embedding is the head
  std::span<const TensorName> tensors = {};
  // Why a Hugging Face folder is not read; empty: it is.
  std::string_view no_folder = {};
  // Refused besides the keys that no architecture may have.
  std::span<const RefusedKey> refused_keys = {};
  // Completes "… runs on the CPU only" and "… cannot be trained"; empty: a GPU runs it, and it can
  // be trained.
  std::string_view not_on_gpu = {};
  std::string_view not_trainable = {};

  bool is_hybrid() const { return recurrence != Recurrence::kNone; }
  // These may have MTP blocks, a part that sees, and rotation of a part of each head.
  bool has_delta_nets() const { return recurrence == Recurrence::kGatedDeltaNet; }
};

// All rows, in the order in which messages list them.
std::span<const Architecture> architectures();

// The row with that name in GGUF files, or in config.json; null: redraft does not run it. Rows live
// as long as the program.
const Architecture* find_architecture(std::string_view name);
const Architecture* find_huggingface_architecture(std::string_view model_type);

// "architecture 'mamba' is not supported; redraft runs …"
std::string unsupported_architecture(std::string_view name);

}  // namespace redraft
