#pragma once

#include <string>
#include <string_view>

#include "decoding/model/transformer_shape.h"

namespace redraft {

// The tensor that every MTP block in a Hugging Face folder has.
inline constexpr std::string_view kMtpTensor = "mtp.fc.weight";

// The role of a tensor of the first MTP block by its name in Hugging Face models:
// "mtp.layers.0.self_attn.q_proj.weight" is "blk.24.attn_q.weight" in a model of 24 layers, and
// "mtp.fc.weight" is "blk.24.nextn.eh_proj.weight". Empty: it is no tensor of that block.
std::string role_of_mtp_tensor(std::string_view name, const TransformerShape& shape);

}  // namespace redraft
