#pragma once

#include <string>
#include <string_view>

namespace redraft {

// The role ("blk.3.attn_q.bias") of a tensor by the name that Hugging Face's models give it
// ("model.layers.3.self_attn.q_proj.bias"); empty for a name that redraft does not know.
std::string role_of_huggingface_tensor(std::string_view name);

}  // namespace redraft
