#pragma once

#include <string>
#include <string_view>

#include "decoding/model/architecture.h"

namespace redraft {

// The role ("blk.3.attn_q.bias") of a tensor by the name that it has in Hugging Face models of this
// architecture ("model.layers.3.self_attn.q_proj.bias"); empty if they have no such tensor.
std::string role_of_huggingface_tensor(std::string_view name, const Architecture& architecture);

}  // namespace redraft
