#pragma once

#include <string>
#include <string_view>

namespace redraft {

// The role ("blk.3.attn_q.bias") of a tensor by the name that it has in Hugging Face models
// ("model.layers.3.self_attn.q_proj.bias"); empty if redraft does not know the name.
std::string role_of_huggingface_tensor(std::string_view name);

}  // namespace redraft
