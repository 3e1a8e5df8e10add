#include "decoding/model/huggingface_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace redraft {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kOfModel = {
    Pair{"model.embed_tokens.weight", "token_embd.weight"},
    Pair{"model.norm.weight", "output_norm.weight"},
    Pair{"lm_head.weight", "output.weight"},
};

// Names within a layer, before ".weight" or ".bias".
constexpr std::array kOfLayer = {
    Pair{"input_layernorm", "attn_norm"},    Pair{"self_attn.q_proj", "attn_q"},
    Pair{"self_attn.k_proj", "attn_k"},      Pair{"self_attn.v_proj", "attn_v"},
    Pair{"self_attn.q_norm", "attn_q_norm"}, Pair{"self_attn.k_norm", "attn_k_norm"},
    Pair{"self_attn.o_proj", "attn_output"}, Pair{"post_attention_layernorm", "ffn_norm"},
    Pair{"mlp.gate_proj", "ffn_gate"},       Pair{"mlp.up_proj", "ffn_up"},
    Pair{"mlp.down_proj", "ffn_down"},       Pair{"mlp.gate", "ffn_gate_inp"},
};

// Those of an expert of a mixture, behind its number.
constexpr std::array kOfExpert = {Pair{"gate_proj", "ffn_gate"}, Pair{"up_proj", "ffn_up"},
                                  Pair{"down_proj", "ffn_down"}};

template <typename Table>
std::string_view find(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Pair& pair) { return pair.first == name; });
  return found == table.end() ? std::string_view() : found->second;
}

bool is_number(std::string_view text) {
  const bool digits =
      !text.empty() && text.size() <= 4 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && (text.size() == 1 || text[0] != '0');
}

// "ffn_gate.5" for "mlp.experts.5.gate_proj"; "ffn_gate" for "mlp.gate_proj"
std::string part_of_layer(std::string_view name) {
  constexpr std::string_view kExperts = "mlp.experts.";
  if (!name.starts_with(kExperts)) return std::string(find(kOfLayer, name));
  name.remove_prefix(kExperts.size());
  const std::size_t dot = name.find('.');
  if (dot == name.npos || !is_number(name.substr(0, dot))) return {};
  const std::string_view matrix = find(kOfExpert, name.substr(dot + 1));
  return matrix.empty() ? std::string()
                        : std::string(matrix) + "." + std::string(name.substr(0, dot));
}

}  // namespace

std::string role_of_huggingface_tensor(std::string_view name) {
  if (const std::string_view role = find(kOfModel, name); !role.empty()) return std::string(role);
  constexpr std::string_view kPrefix = "model.layers.";
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  const std::size_t first = name.find('.');
  const std::size_t last = name.rfind('.');
  if (first == name.npos || first == last || !is_number(name.substr(0, first))) return {};
  const std::string part = part_of_layer(name.substr(first + 1, last - first - 1));
  const std::string_view kind = name.substr(last);
  const bool is_norm = part.ends_with("norm");
  if (part.empty() || (kind != ".weight" && (kind != ".bias" || is_norm))) return {};
  return "blk." + std::string(name.substr(0, first)) + "." + part + std::string(kind);
}

}  // namespace redraft
