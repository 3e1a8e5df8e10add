// To add an architecture that differs from these only by data, add a row to kArchitectures. If it
// has other tensors, list them; if it computes something else, add a field for it and implement
// that in decoding/model/transformer.cpp, and say in not_on_gpu and not_trainable that
// cuda/transformer.cpp and tuning/ do not.
#include "decoding/model/architecture.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "decoding/model/stored_tensor.h"

namespace redraft {
namespace {

constexpr auto kModel = TensorPlace::kModel;
constexpr auto kLayer = TensorPlace::kLayer;
constexpr auto kExpert = TensorPlace::kExpert;

constexpr std::array kCommon = {
    TensorName{kModel, "token_embd", "model.embed_tokens"},
    TensorName{kModel, "output_norm", "model.norm"},
    TensorName{kModel, "output", "lm_head"},
    TensorName{kModel, "rope_freqs", ""},
    TensorName{kLayer, "attn_norm", "input_layernorm"},
    TensorName{kLayer, "attn_q", "self_attn.q_proj", true},
    TensorName{kLayer, "attn_k", "self_attn.k_proj", true},
    TensorName{kLayer, "attn_v", "self_attn.v_proj", true},
    TensorName{kLayer, "attn_output", "self_attn.o_proj", true},
    TensorName{kLayer, "ffn_norm", "post_attention_layernorm"},
};
constexpr std::array kQueryKeyNorm = {
    TensorName{kLayer, "attn_q_norm", "self_attn.q_norm"},
    TensorName{kLayer, "attn_k_norm", "self_attn.k_norm"},
};
constexpr std::array kDenseBlock = {
    TensorName{kLayer, "ffn_gate", "mlp.gate_proj", true},
    TensorName{kLayer, "ffn_up", "mlp.up_proj", true},
    TensorName{kLayer, "ffn_down", "mlp.down_proj", true},
};
constexpr std::array kMixtureBlock = {
    TensorName{kLayer, "ffn_gate_inp", "mlp.gate"},
    TensorName{kExpert, "ffn_gate", "gate_proj"},
    TensorName{kExpert, "ffn_up", "up_proj"},
    TensorName{kExpert, "ffn_down", "down_proj"},
};

template <std::size_t... Sizes>
constexpr auto joined(const std::array<TensorName, Sizes>&... parts) {
  std::array<TensorName, (Sizes + ...)> all{};
  auto end = all.begin();
  ((end = std::copy(parts.begin(), parts.end(), end)), ...);
  return all;
}
constexpr auto kDenseTensors = joined(kCommon, kDenseBlock);
constexpr auto kNormedDenseTensors = joined(kCommon, kQueryKeyNorm, kDenseBlock);
constexpr auto kNormedMixtureTensors = joined(kCommon, kQueryKeyNorm, kMixtureBlock);

constexpr std::array kRefusedInDense = {RefusedKey{"expert_count", "a mixture of experts", 0}};
constexpr double kSoftmax = 1;
constexpr std::array kRefusedInMixture = {
    RefusedKey{"expert_shared_count", "experts that every row goes to", 0},
    RefusedKey{"expert_shared_feed_forward_length", "experts that every row goes to", 0},
    RefusedKey{"expert_chunk_feed_forward_length", "experts of two widths", 0},
    RefusedKey{"expert_weights_scale", "scaled experts", 1},
    RefusedKey{"expert_gating_func", "another function of the router's scores", kSoftmax},
    RefusedKey{"expert_group_count", "groups of experts", 0},
    RefusedKey{"expert_group_used_count", "groups of experts", 0},
    RefusedKey{"leading_dense_block_count", "layers without experts", 0},
    RefusedKey{"moe_every_n_layers", "layers without experts", 0},
    RefusedKey{"interleave_moe_layer_step", "layers without experts", 1},
};

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
