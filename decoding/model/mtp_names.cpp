#include "decoding/model/mtp_names.h"

#include <array>
#include <utility>

#include "decoding/model/huggingface_names.h"

namespace redraft {

std::string role_of_mtp_tensor(std::string_view name, const TransformerShape& shape) {
  constexpr std::string_view kLayer = "mtp.layers.0.";
  const std::string number = std::to_string(shape.layers);
  if (name.starts_with(kLayer)) {
    name.remove_prefix(kLayer.size());
    return role_of_huggingface_tensor("model.layers." + number + "." + std::string(name),
                                      *shape.architecture);
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOwn = {
      {{kMtpTensor, "eh_proj"},
       {"mtp.pre_fc_norm_embedding.weight", "enorm"},
       {"mtp.pre_fc_norm_hidden.weight", "hnorm"},
       {"mtp.norm.weight", "shared_head_norm"}}};
  for (const auto& [theirs, role] : kOwn) {
    if (name == theirs) return "blk." + number + ".nextn." + std::string(role) + ".weight";
  }
  return {};
}

}  // namespace redraft
