// To add an architecture that differs from these only by data, add a row to kArchitectures. If it
// has other tensors, list them; if it computes something else, add a field for it and implement
// that in decoding/model/transformer.cpp, and say in not_on_gpu and not_trainable that
// cuda/transformer.cpp and tuning/ do not.
#include "decoding/model/architecture.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "decoding/model/stored_tensor.h"

namespace redraft {
namespace {

constexpr auto kModel = TensorPlace::kModel;
constexpr auto kLayer = TensorPlace::kLayer;
constexpr auto kAttention = TensorPlace::kAttention;
constexpr auto kRecurrent = TensorPlace::kRecurrent;
constexpr auto kMixture = TensorPlace::kMixture;
constexpr auto kExpert = TensorPlace::kExpert;
constexpr auto kInputOfLayers = TensorPlace::kInputOfLayers;
constexpr auto kInputOfLayer = TensorPlace::kInputOfLayer;

constexpr std::array kCommon = {
    TensorName{kModel, "token_embd", "model.embed_tokens"},
    TensorName{kModel, "output_norm", "model.norm"},
    TensorName{kModel, "output", "lm_head"},
    TensorName{kModel, "rope_freqs", ""},
    TensorName{kLayer, "attn_norm", "input_layernorm"},
    TensorName{kAttention, "attn_q", "self_attn.q_proj", true},
    TensorName{kAttention, "attn_k", "self_attn.k_proj", true},
    TensorName{kAttention, "attn_v", "self_attn.v_proj", true},
    TensorName{kAttention, "attn_output", "self_attn.o_proj", true},
};
constexpr std::array kFeedForwardNorm = {
    TensorName{kLayer, "ffn_norm", "post_attention_layernorm"},
};
constexpr std::array kQueryKeyNorm = {
    TensorName{kAttention, "attn_q_norm", "self_attn.q_norm"},
    TensorName{kAttention, "attn_k_norm", "self_attn.k_norm"},
};
constexpr std::array kHybrid = {
    TensorName{kLayer, "post_attention_norm", "post_attention_layernorm"},
    TensorName{kRecurrent, "ssm_conv1d", "linear_attn.conv1d"},
    TensorName{kRecurrent, "ssm_dt.bias", "linear_attn.dt_bias", false, true},
    TensorName{kRecurrent, "ssm_dt", "", false, true},  // the same, as Ollama writes it
    TensorName{kRecurrent, "ssm_a", "linear_attn.A_log", false, true},
    TensorName{kRecurrent, "ssm_norm", "linear_attn.norm"},
    TensorName{kRecurrent, "ssm_out", "linear_attn.out_proj"},
};
// The projections of a recurrent layer, each by itself.
constexpr std::array kSeparateProjections = {
    TensorName{kRecurrent, "attn_qkv", "linear_attn.in_proj_qkv"},
    TensorName{kRecurrent, "attn_gate", "linear_attn.in_proj_z"},
    TensorName{kRecurrent, "ssm_alpha", "linear_attn.in_proj_a"},
    TensorName{kRecurrent, "ssm_beta", "linear_attn.in_proj_b"},
};
// The same, interleaved by key head. GGUF files of today have the first of them in two.
constexpr std::array kJoinedProjections = {
    TensorName{kRecurrent, "ssm_in", "linear_attn.in_proj_qkvz"},
    TensorName{kRecurrent, "ssm_ba", "linear_attn.in_proj_ba"},
    TensorName{kRecurrent, "attn_qkv", ""},
    TensorName{kRecurrent, "attn_gate", ""},
};
constexpr std::array kDenseBlock = {
    TensorName{kLayer, "ffn_gate", "mlp.gate_proj", true},
    TensorName{kLayer, "ffn_up", "mlp.up_proj", true},
    TensorName{kLayer, "ffn_down", "mlp.down_proj", true},
};
constexpr std::array kRouter = {
    TensorName{kLayer, "ffn_gate_inp", "mlp.gate"},
};
constexpr std::array kExperts = {
    TensorName{kExpert, "ffn_gate", "gate_proj"},
    TensorName{kExpert, "ffn_up", "up_proj"},
    TensorName{kExpert, "ffn_down", "down_proj"},
    // Those of all experts in one, as newer folders have them.
    TensorName{kLayer, "ffn_gate_up_exps.weight", "mlp.experts.gate_up_proj", false, true},
    TensorName{kLayer, "ffn_down_exps.weight", "mlp.experts.down_proj", false, true},
};
constexpr std::array kPostNorms = {
    TensorName{kLayer, "post_attention_norm", ""},
    TensorName{kLayer, "ffn_norm", ""},
    TensorName{kLayer, "post_ffw_norm", ""},
    TensorName{kLayer, "layer_output_scale", ""},
};
constexpr std::array kBesideExperts = {
    TensorName{kMixture, "ffn_gate_inp.scale", "", false, true},
    TensorName{kMixture, "ffn_down_exps.scale", "", false, true},
    TensorName{kMixture, "pre_ffw_norm_2", ""},
    TensorName{kMixture, "post_ffw_norm_1", ""},
    TensorName{kMixture, "post_ffw_norm_2", ""},
};
constexpr std::array kInputsOfLayers = {
    TensorName{kInputOfLayers, "per_layer_token_embd", ""},
    TensorName{kInputOfLayers, "per_layer_model_proj", ""},
    TensorName{kInputOfLayers, "per_layer_proj_norm", ""},
    TensorName{kInputOfLayer, "inp_gate", ""},
    TensorName{kInputOfLayer, "proj", ""},
    TensorName{kInputOfLayer, "post_norm", ""},
};
constexpr std::array kExpertBiases = {
    TensorName{kLayer, "ffn_gate_inp", "mlp.router", true},
    TensorName{kLayer, "ffn_gate_exps.bias", "", false, true},
    TensorName{kLayer, "ffn_up_exps.bias", "", false, true},
    TensorName{kLayer, "ffn_down_exps.bias", "", false, true},
};
constexpr std::array kSinks = {
    TensorName{kLayer, "post_attention_norm", "post_attention_layernorm"},
    TensorName{kAttention, "attn_sinks", "self_attn.sinks"},
};

constexpr std::array kSharedExpert = {
    TensorName{kLayer, "ffn_gate_inp_shexp", "mlp.shared_expert_gate"},
    TensorName{kLayer, "ffn_gate_shexp", "mlp.shared_expert.gate_proj"},
    TensorName{kLayer, "ffn_up_shexp", "mlp.shared_expert.up_proj"},
    TensorName{kLayer, "ffn_down_shexp", "mlp.shared_expert.down_proj"},
};

// LFM2's, which have their own names in folders. GGUF files call the last norm after its name
// there.
constexpr std::array kShortConvolutionTensors = {
    TensorName{kModel, "token_embd", "model.embed_tokens"},
    TensorName{kModel, "token_embd_norm", "model.embedding_norm"},
    TensorName{kModel, "output", "lm_head"},
    TensorName{kLayer, "attn_norm", "operator_norm"},
    TensorName{kAttention, "attn_q", "self_attn.q_proj"},
    TensorName{kAttention, "attn_k", "self_attn.k_proj"},
    TensorName{kAttention, "attn_v", "self_attn.v_proj"},
    TensorName{kAttention, "attn_q_norm", "self_attn.q_layernorm"},
    TensorName{kAttention, "attn_k_norm", "self_attn.k_layernorm"},
    TensorName{kAttention, "attn_output", "self_attn.out_proj"},
    TensorName{kRecurrent, "shortconv.in_proj", "conv.in_proj"},
    TensorName{kRecurrent, "shortconv.conv", "conv.conv"},
    TensorName{kRecurrent, "shortconv.out_proj", "conv.out_proj"},
    TensorName{kLayer, "ffn_norm", "ffn_norm"},
    TensorName{kLayer, "ffn_gate", "feed_forward.w1"},
    TensorName{kLayer, "ffn_up", "feed_forward.w3"},
    TensorName{kLayer, "ffn_down", "feed_forward.w2"},
};

// As converters to GGUF name the norm of Seed-OSS before its feed-forward block.
constexpr std::array kPostAttentionNorm = {
    TensorName{kLayer, "post_attention_norm", "post_attention_layernorm"},
};

template <typename T, std::size_t... Sizes>
constexpr auto joined(const std::array<T, Sizes>&... parts) {
  std::array<T, (Sizes + ...)> all{};
  auto end = all.begin();
  ((end = std::copy(parts.begin(), parts.end(), end)), ...);
  return all;
}
constexpr auto kDenseTensors = joined(kCommon, kFeedForwardNorm, kDenseBlock);
constexpr auto kPostNormedDenseTensors = joined(kCommon, kPostAttentionNorm, kDenseBlock);
constexpr auto kNormedDenseTensors = joined(kCommon, kFeedForwardNorm, kQueryKeyNorm, kDenseBlock);
constexpr auto kNormedMixtureTensors =
    joined(kCommon, kFeedForwardNorm, kQueryKeyNorm, kRouter, kExperts);
constexpr auto kBiasedMixtureTensors = joined(kCommon, kSinks, kExperts, kExpertBiases);
constexpr auto kPostNormedTensors = joined(kCommon, kPostNorms, kQueryKeyNorm, kDenseBlock, kRouter,
                                           kExperts, kBesideExperts, kInputsOfLayers);
constexpr auto kHybridDenseTensors =
    joined(kCommon, kHybrid, kSeparateProjections, kQueryKeyNorm, kDenseBlock);
constexpr auto kHybridMixtureTensors =
    joined(kCommon, kHybrid, kSeparateProjections, kQueryKeyNorm, kRouter, kExperts, kSharedExpert);
constexpr auto kJoinedHybridMixtureTensors =
    joined(kCommon, kHybrid, kJoinedProjections, kQueryKeyNorm, kRouter, kExperts, kSharedExpert);

constexpr std::array kRefusedInDense = {RefusedKey{"expert_count", "a mixture of experts", 0}};
constexpr std::array kRefusedInGranite = {
    kRefusedInDense[0],
    RefusedKey{"deepstack_mapping", "images that enter between layers",
               std::numeric_limits<double>::quiet_NaN()},
};
constexpr double kSoftmax = 1;
constexpr std::array kUnsharedExperts = {
    RefusedKey{"expert_shared_count", "experts that every row goes to", 0},
    RefusedKey{"expert_shared_feed_forward_length", "experts that every row goes to", 0},
};
constexpr std::array kRefusedInAnyMixture = {
    RefusedKey{"expert_chunk_feed_forward_length", "experts of two widths", 0},
    RefusedKey{"expert_weights_scale", "scaled experts", 1},
    RefusedKey{"expert_gating_func", "another function of the router's scores", kSoftmax},
    RefusedKey{"expert_group_count", "groups of experts", 0},
    RefusedKey{"expert_group_used_count", "groups of experts", 0},
    RefusedKey{"leading_dense_block_count", "layers without experts", 0},
    RefusedKey{"moe_every_n_layers", "layers without experts", 0},
    RefusedKey{"interleave_moe_layer_step", "layers without experts", 1},
};
constexpr auto kRefusedInMixture = joined(kUnsharedExperts, kRefusedInAnyMixture);
constexpr std::string_view kRecurrence = "a model with recurrent layers";

constexpr std::array kArchitectures = {
    Architecture{.name = "llama",
                 .huggingface = "llama",
                 .pairs_neighbours = true,
                 .tensors = kDenseTensors,
                 .refused_keys = kRefusedInDense},
    Architecture{.name = "qwen2",
                 .huggingface = "qwen2",
                 .tensors = kDenseTensors,
                 .refused_keys = kRefusedInDense},
    Architecture{.name = "qwen3",
                 .huggingface = "qwen3",
                 .query_key_norm = true,
                 .tensors = kNormedDenseTensors,
                 .refused_keys = kRefusedInDense},
    Architecture{.name = "qwen3moe",
                 .huggingface = "qwen3_moe",
                 .query_key_norm = true,
                 .is_mixture = true,
                 .tensors = kNormedMixtureTensors,
                 .refused_keys = kRefusedInMixture,
                 .not_on_gpu = "a mixture of experts",
                 .not_trainable = "a mixture of experts"},
    Architecture{.name = "mellum",
                 .huggingface = "mellum",
                 .query_key_norm = true,
                 .is_mixture = true,
                 .unwindowed_every = 4,
                 .norm_topk_prob = true,
                 .rope_base = 500000,
                 .tensors = kNormedMixtureTensors,
                 .refused_keys = kRefusedInMixture,
                 .not_on_gpu = "a mixture of experts",
                 .not_trainable = "a mixture of experts"},
    Architecture{
        .name = "gpt-oss",
        .huggingface = "gpt_oss",
        .is_mixture = true,
        .activation = Activation::kClampedSilu,
        .has_sinks = true,
        .rounds_yarn = false,
        .unwindowed_every = 2,
        .scales_window_rope = true,
        .feed_forward_norm = "post_attention_norm",
        .norm_topk_prob = true,
        .rope_base = 150000,
        .tensors = kBiasedMixtureTensors,
        .no_folder = "its folder has the experts in another layout; take a GGUF file of it",
        .refused_keys = kRefusedInMixture,
        .not_on_gpu = "a mixture of experts",
        .not_trainable = "a mixture of experts"},
    Architecture{.name = "gemma4",
                 .huggingface = "gemma4_text",
                 .query_key_norm = true,
                 .activation = Activation::kGelu,
                 .norms_values = true,
                 .post_norms = true,
                 .scales_embeddings = true,
                 .attention_scale = 1,
                 .caps_logits = true,
                 .may_have_experts = true,
                 .may_differ_by_layer = true,
                 .unwindowed_every = 6,
                 .tensors = kPostNormedTensors,
                 .no_folder = "redraft reads Gemma 4 as GGUF only",
                 .not_on_gpu = "a model with sliding windows",
                 .not_trainable = "a model with sliding windows"},
    Architecture{.name = "qwen3next",
                 .huggingface = "qwen3_next",
                 .query_key_norm = true,
                 .is_mixture = true,
                 .shared_expert = true,
                 .recurrence = Recurrence::kGatedDeltaNet,
                 .gated_attention = true,
                 .feed_forward_norm = "post_attention_norm",
                 .norm_topk_prob = true,
                 .tensors = kJoinedHybridMixtureTensors,
                 .refused_keys = kRefusedInAnyMixture,
                 .not_on_gpu = kRecurrence,
                 .not_trainable = kRecurrence},
    Architecture{.name = "qwen35",
                 .huggingface = "qwen3_5_text",
                 .query_key_norm = true,
                 .recurrence = Recurrence::kGatedDeltaNet,
                 .tiles_value_heads = true,
                 .gated_attention = true,
                 .feed_forward_norm = "post_attention_norm",
                 .tensors = kHybridDenseTensors,
                 .refused_keys = kRefusedInDense,
                 .not_on_gpu = kRecurrence,
                 .not_trainable = kRecurrence},
    Architecture{.name = "qwen35moe",
                 .huggingface = "qwen3_5_moe_text",
                 .query_key_norm = true,
                 .is_mixture = true,
                 .shared_expert = true,
                 .recurrence = Recurrence::kGatedDeltaNet,
                 .tiles_value_heads = true,
                 .gated_attention = true,
                 .feed_forward_norm = "post_attention_norm",
                 .norm_topk_prob = true,
                 .tensors = kHybridMixtureTensors,
                 .refused_keys = kRefusedInAnyMixture,
                 .not_on_gpu = kRecurrence,
                 .not_trainable = kRecurrence},
    Architecture{.name = "lfm2",
                 .huggingface = "lfm2",
                 .query_key_norm = true,
                 .recurrence = Recurrence::kShortConvolution,
                 .output_norm = "token_embd_norm",
                 .epsilon_key = "norm_eps",
                 .rope_base = 1e6,
                 .tied_head = true,
                 .tensors = kShortConvolutionTensors,
                 .refused_keys = kRefusedInDense,
                 .not_on_gpu = kRecurrence,
                 .not_trainable = kRecurrence},
    Architecture{.name = "smollm3",
                 .huggingface = "smollm3",
                 .pairs_neighbours = true,
                 .unrotated_every = 4,
                 .rope_base = 2e6,
                 .tied_head = true,
                 .tensors = kDenseTensors,
                 .refused_keys = kRefusedInDense,
                 .not_on_gpu = "a model with layers that see no positions",
                 .not_trainable = "a model with layers that see no positions"},
    Architecture{.name = "mistral3",
                 .huggingface = "ministral3",
                 .pairs_neighbours = true,
                 .query_temperature = true,
                 .may_see = true,
                 .tensors = kDenseTensors,
                 .refused_keys = kRefusedInDense,
                 .not_on_gpu = "a Mistral 3 model",
                 .not_trainable = "a Mistral 3 model"},
    Architecture{.name = "granite",
                 .huggingface = "granite",
                 .pairs_neighbours = true,
                 .has_scales = true,
                 .tensors = kDenseTensors,
                 .refused_keys = kRefusedInGranite,
                 .not_on_gpu = "a model with scaled residuals",
                 .not_trainable = "a model with scaled residuals"},
    Architecture{.name = "seed_oss",
                 .huggingface = "seed_oss",
                 .feed_forward_norm = "post_attention_norm",
                 .tensors = kPostNormedDenseTensors,
                 .refused_keys = kRefusedInDense},
};

const Architecture* find(std::string_view name, std::string_view Architecture::*column) {
  const auto found = std::ranges::find(kArchitectures, name, column);
  return found == kArchitectures.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

const Architecture* find_architecture(std::string_view name) {
  return find(name, &Architecture::name);
}

const Architecture* find_huggingface_architecture(std::string_view model_type) {
  return find(model_type, &Architecture::huggingface);
}

std::string unsupported_architecture(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < kArchitectures.size(); ++i) {
    const bool is_last = i + 1 == kArchitectures.size();
    names += (i == 0 ? "" : is_last ? " and " : ", ") + std::string(kArchitectures[i].name);
  }
  return "architecture " + quoted(name) + " is not supported; redraft runs " + names + " models";
}

}  // namespace redraft
