#include "decoding/model/huggingface_names.h"

#include <algorithm>
#include <utility>

namespace redraft {

namespace {

bool is_number(std::string_view text) {
  const bool digits =
      !text.empty() && text.size() <= 4 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits && (text.size() == 1 || text[0] != '0');
}

// Removes "5." from the front of `name` and returns "5"; empty: it does not start like that.
std::string_view take_number(std::string_view& name) {
  const std::size_t dot = name.find('.');
  if (dot == name.npos || !is_number(name.substr(0, dot))) return {};
  const std::string_view number = name.substr(0, dot);
  name.remove_prefix(dot + 1);
  return number;
}

// The parts of a name: "model.layers.3.mlp.experts.5.up_proj.weight".
struct Parts {
  TensorPlace place = TensorPlace::kModel;
  std::string_view layer, expert;  // "3", "5"
  std::string_view tensor;         // "up_proj"
  std::string_view kind;           // ".weight"
};

// Whether a tensor whose name begins like that can be in such a place.
bool is_in(TensorPlace name, TensorPlace tensor) {
  if (name != TensorPlace::kLayer) return name == tensor;
  return tensor == TensorPlace::kLayer || tensor == TensorPlace::kAttention ||
         tensor == TensorPlace::kRecurrent;
}

Parts split(std::string_view name) {
  constexpr std::string_view kLayers = "model.layers.";
  constexpr std::string_view kExperts = "mlp.experts.";
  Parts parts;
  const std::size_t last = std::min(name.rfind('.'), name.size());
  parts.kind = name.substr(last);
  name = name.substr(0, last);
  if (name.starts_with(kLayers)) {
    name.remove_prefix(kLayers.size());
    parts.place = TensorPlace::kLayer;
    parts.layer = take_number(name);
    if (parts.layer.empty()) return {};
    if (name.starts_with(kExperts)) {
      name.remove_prefix(kExperts.size());
      parts.place = TensorPlace::kExpert;
      parts.expert = take_number(name);
      if (parts.expert.empty()) return {};
    }
  }
  parts.tensor = name;
  return parts;
}

// The name by itself of a tensor of the language model within a multimodal one.
std::string without_outer_model(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
      {"model.language_model.", "model."},
      {"language_model.model.", "model."},
      {"language_model.lm_head.", "lm_head."},
  };
  for (const auto& [outer, inner] : kPrefixes) {
    if (name.starts_with(outer)) return std::string(inner) + std::string(name.substr(outer.size()));
  }
  return std::string(name);
}

}  // namespace

std::string role_of_huggingface_tensor(std::string_view name, const Architecture& architecture) {
  const std::string plain = without_outer_model(name);
  const Parts parts = split(plain);
  if (parts.tensor.empty()) return {};
  const std::string complete = std::string(parts.tensor) + std::string(parts.kind);
  const auto found = std::ranges::find_if(architecture.tensors, [&](const TensorName& each) {
    return is_in(parts.place, each.place) && !each.huggingface.empty() &&
           each.huggingface == (each.is_complete ? std::string_view(complete) : parts.tensor);
  });
  if (found == architecture.tensors.end()) return {};
  std::string role;
  if (!parts.layer.empty()) role = "blk." + std::string(parts.layer) + ".";
  role += found->role;
  if (found->is_complete) return role;
  if (parts.kind != ".weight" && (parts.kind != ".bias" || !found->may_have_bias)) return {};
  if (!parts.expert.empty()) role += "." + std::string(parts.expert);
  return role + std::string(parts.kind);
}

}  // namespace redraft
